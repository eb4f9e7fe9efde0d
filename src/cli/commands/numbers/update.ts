import { numbers } from '../../../contract/numbers.ts'
import { fromList, readBefore, resolveThing } from '../../before.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { usage } from '../../usage.ts'
import { argument, digitsNote, owned, target } from './view.ts'

export const update = command({
  endpoint: numbers.update,
  argument,
  examples: ['4 --nickname "Front desk"', '+14155550199 --nickname null'],
  notes: digitsNote,
  view: owned,
  async run(context, { argument: given, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --nickname <name>; "null" clears it.')
    const { id, seen } = await resolveThing(context, given, target)
    const before = await readBefore(context, seen, fromList(target, id))
    await applyUpdate(context, { endpoint: numbers.update, ids: { id }, change: input, before, next: 'parley numbers list' })
  },
})
