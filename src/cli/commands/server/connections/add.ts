import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { askMissing } from '../../../missing.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { accountFlag, accountId, view } from './view.ts'

export const add = command({
  endpoint: connections.add,
  flags: [accountFlag],
  examples: [
    '--kind mail',
    '--kind spreadsheet --name front-desk --account 1',
    '--kind mail --secret \'{"host": "smtp.example", "from": "desk@northwind.example"}\'',
  ],
  notes: `One of the same name and kind is made to work again. mail: sent by the SMTP server of the secret {host, port, secure, user, password, from}; without a server it stays in the outbox. spreadsheet: CSV files in the folder of the secret {folder}; in spreadsheets/<account id> of the data folder unless given. calendar-a, calendar-b, crm-b: made up here, and need no secret.`,
  view,
  async run(context, { input, flags }) {
    const body = await askMissing(context, connections.add, input)
    const answer = await send(context, connections.add, { ...body, account: await accountId(context, flags.account) })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server connections list')
  },
})
