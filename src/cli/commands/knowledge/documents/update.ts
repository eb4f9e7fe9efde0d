import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { resolveForUpdate } from '../../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../../updates/prompt-changes.ts'
import { applyUpdate } from '../../../updates/send-update.ts'
import { argument, documentTarget, knowledgeFlag, view } from './view.ts'

export const update = command({
  endpoint: knowledge.updateDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1 --name Hours', '2 --knowledge 1 --description null'],
  view,
  async run(context, invocation) {
    requireChanges(context, invocation.input, 'Pass --name or --description.')
    const { ids, target } = await documentTarget(context, invocation)
    const { id: docId, previous } = await resolveForUpdate(context, invocation.argument, target, {
      read: async ({ call }, docId) => (await call(knowledge.getDocument, { ...ids, docId })).data,
    })
    const next = `parley knowledge documents get ${docId} --knowledge ${ids.id}`
    await applyUpdate(context, {
      endpoint: knowledge.updateDocument,
      ids: { ...ids, docId },
      change: await promptChanges(context, invocation.input),
      previous,
      next,
    })
  },
})
