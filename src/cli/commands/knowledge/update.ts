import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { resolveForUpdate } from '../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { applyUpdate } from '../../updates/send-update.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  async run(context, { argument: given, input }) {
    requireChanges(context, input, 'Pass --name or --description.')
    const { id, previous } = await resolveForUpdate(context, given, target, {
      read: async ({ call }, id) => (await call(knowledge.get, { id })).data,
    })
    await applyUpdate(context, {
      endpoint: knowledge.update,
      ids: { id },
      change: await promptChanges(context, input),
      previous,
      next: `parley knowledge get ${id}`,
    })
  },
})
