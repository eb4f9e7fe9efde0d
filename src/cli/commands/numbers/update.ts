import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { argument, owned, target } from './view.ts'

export const update = command({
  endpoint: numbers.update,
  argument,
  examples: ['1 --nickname "Front desk"', '+14155550199 --nickname null'],
  view: owned,
  async run(context, { argument: given, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --nickname <name>; "null" clears it.')
    const id = await resolveId(context, given, target)
    const answer = await send(context, numbers.update, { ...input, id })
    if (answer) await printMade(context, answer.message, answer.data, 'parley numbers list')
  },
})
