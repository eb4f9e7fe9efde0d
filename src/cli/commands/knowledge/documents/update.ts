import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { readPrevious } from '../../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../../updates/prompt-changes.ts'
import { applyUpdate } from '../../../updates/send-update.ts'
import { argument, knowledgeFlag, resolveDocument, view } from './view.ts'

export const update = command({
  endpoint: knowledge.updateDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1 --name Hours', '2 --knowledge 1 --description null'],
  view,
  async run(context, invocation) {
    requireChanges(context, invocation.input, 'Pass --name or --description.')
    const ids = await resolveDocument(context, invocation)
    const before = await readPrevious(
      context,
      undefined,
      async ({ call }) => (await call(knowledge.getDocument, ids)).data,
    )
    const next = `parley knowledge documents get ${ids.docId} --knowledge ${ids.id}`
    await applyUpdate(context, {
      endpoint: knowledge.updateDocument,
      ids,
      change: await promptChanges(context, invocation.input),
      before,
      next,
    })
  },
})
