import { numbers } from '../../../contract/numbers.ts'
import { fromList, readBefore, resolveThing } from '../../before.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { argument, digitsNote, owned, target } from './view.ts'

export const update = command({
  endpoint: numbers.update,
  argument,
  examples: ['4 --nickname "Front desk"', '+14155550199 --nickname null'],
  notes: digitsNote,
  view: owned,
  async run(context, { argument: given, input }) {
    refuseNothing(context, input, 'Give --nickname <name>; "null" clears it.')
    const { id, seen } = await resolveThing(context, given, target)
    const before = await readBefore(context, seen, fromList(target, id))
    await applyUpdate(context, { endpoint: numbers.update, ids: { id }, change: await askChanges(context, input), before, next: 'parley numbers list' })
  },
})
