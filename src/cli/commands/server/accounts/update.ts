import { accounts } from '../../../../contract/control.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { resolveId, type Target } from '../../../target.ts'
import { usage } from '../../../usage.ts'
import { view } from './view.ts'

export const target: Target = { thing: 'account', list: accounts.list, by: ['name', 'email'], label: (it) => `${it.name} (${it.id})` }

export const update = command({
  endpoint: accounts.update,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['1 --top-up 20', '1 --payment-method null', '1 --payment-method pm_card_declined'],
  view,
  async run(context, { argument, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --top-up, --payment-method, --name or --email.')
    const answer = await send(context, accounts.update, { ...input, id: await resolveId(context, argument, target) })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server accounts list')
  },
})
