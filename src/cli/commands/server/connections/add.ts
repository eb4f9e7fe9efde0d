import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { askMissing } from '../../../missing.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { accountFlag, accountId, view } from './view.ts'

export const add = command({
  endpoint: connections.add,
  flags: [accountFlag],
  examples: ['--kind mail', '--kind spreadsheet --name front-desk --account 1'],
  notes: 'One of the same name and kind is made to work again.',
  view,
  async run(context, { input, flags }) {
    const body = await askMissing(context, connections.add, input)
    const answer = await send(context, connections.add, { ...body, account: await accountId(context, flags.account) })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server connections list')
  },
})
