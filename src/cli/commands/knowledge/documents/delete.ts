import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { argument, findDocument, knowledgeFlag } from './view.ts'

export const remove = command({
  endpoint: knowledge.deleteDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', 'Insurers --knowledge 1 --yes'],
  async run(context, invocation) {
    const { ids, called } = await findDocument(context, invocation)
    if (await previewRequest(context, knowledge.deleteDocument, ids)) return
    await requireConfirmation(context, {
      question: `Delete document ${called}? Assistants lose access to it.`,
      refusalMessage: `Deleting document ${ids.docId} cannot be undone and requires confirmation.`,
    })
    await printMessage(context, (await context.call(knowledge.deleteDocument, ids)).message, ids.docId)
  },
})
