import { connections } from '../../../../contract/control/connections.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { promptMissingFields } from '../../../prompts/prompt-fields.ts'
import { accountFlag, resolveAccount, view } from './view.ts'

export const add = command({
  endpoint: connections.add,
  flags: [accountFlag],
  examples: [
    '--kind mail',
    '--kind spreadsheet --name front-desk --account 1',
    "--kind custom --name tickets --secret '{base_url: https://tickets.example, headers: {X-Api-Key: k1}}'",
    '--kind mail --secret \'{"host": "smtp.example", "from": "desk@northwind.example"}\'',
  ],
  notes: `An expired connection with the same name and kind is reactivated. mail: sent by the SMTP server in the secret {host, port, secure, user, password, from}; without a server, emails stay in the outbox. spreadsheet: CSV files in the folder in the secret {folder} (default: spreadsheets/<account id> of the data folder; with PostgreSQL, in the database). calendar-a, calendar-b, crm-b: simulated; no secret required. custom: any HTTP API. HTTP steps that have {{connections['<name>']}} in auth use the base_url and the headers of the secret {base_url, headers}. Any step can use its other fields, such as {{connections['<name>'].token}}.`,
  view,
  async run(context, { input, flags }) {
    const body = await promptMissingFields(context, connections.add, input)
    const answer = await sendRequest(context, connections.add, {
      ...body,
      account: await resolveAccount(context, flags.account),
    })
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley server connections list')
  },
})
