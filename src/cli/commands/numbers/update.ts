import { numbers } from '../../../contract/resources/numbers.ts'
import { command } from '../../commandline/command.ts'
import { findInList, resolveForUpdate } from '../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { applyUpdate } from '../../updates/send-update.ts'
import { argument, digitsNote, ownedNumberView, target } from './view.ts'

export const update = command({
  endpoint: numbers.update,
  argument,
  examples: ['4 --nickname "Front desk"', '+14155550199 --nickname null'],
  notes: digitsNote,
  view: ownedNumberView,
  async run(context, { argument: given, input }) {
    requireChanges(context, input, 'Pass --nickname <name>; "null" clears it.')
    const { id, previous } = await resolveForUpdate(context, given, target, { read: findInList(target) })
    await applyUpdate(context, {
      endpoint: numbers.update,
      ids: { id },
      change: await promptChanges(context, input),
      previous,
      next: 'parley numbers list',
    })
  },
})
