import { knowledge } from '../../../../contract/knowledge.ts'
import { command } from '../../../command.ts'
import { consent } from '../../../consent.ts'
import { confirmDone } from '../../../deletion.ts'
import { showOnly } from '../../../requests.ts'
import { argument, findDocument, knowledgeFlag } from './view.ts'

export const remove = command({
  endpoint: knowledge.deleteDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', 'Insurers --knowledge 1 --yes'],
  async run(context, invocation) {
    const { ids, called } = await findDocument(context, invocation)
    if (await showOnly(context, knowledge.deleteDocument, ids)) return
    await consent(context, {
      ask: `Delete document ${called}? Assistants can no longer look it up.`,
      without: `Deleting document ${ids.docId} cannot be undone and needs consent.`,
    })
    await confirmDone(context, (await context.call(knowledge.deleteDocument, ids)).message, ids.docId)
  },
})
