import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { cellValues, sheetName } from './prompts.ts'
import { argument, cellFlag, printWritten, rowView } from './view.ts'

export const addRow = command({
  endpoint: sheets.addRow,
  argument,
  flags: [cellFlag, accountFlag],
  examples: ['contacts --cell Name=Ada --cell Phone=+14155550142', `contacts --values '{"Name": "Ada"}'`],
  notes: 'A column that does not exist is added.',
  view: rowView,
  async run(context, invocation) {
    const account = await resolveAccount(context, invocation.flags.account)
    const name = await sheetName(context, invocation.argument, account)
    const values = await cellValues(context, invocation)
    const answer = await sendRequest(context, sheets.addRow, { ...invocation.input, values, account, name })
    if (answer) await printWritten(context, `${answer.message} Row: ${answer.data.number}`, answer.data)
  },
})
