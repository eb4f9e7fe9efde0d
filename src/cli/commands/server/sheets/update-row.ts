import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { cellValues, rowNumber, sheetName } from './prompts.ts'
import { argument, cellFlag, printWritten, rowFlag, rowView } from './view.ts'

export const updateRow = command({
  endpoint: sheets.updateRow,
  argument,
  flags: [rowFlag, cellFlag, accountFlag],
  examples: ['contacts --row 2 --cell Phone=+14155550143', `contacts --row 2 --values '{"Name": "Ada"}'`],
  notes: 'Other cells of the row are unchanged. A column that does not exist is added.',
  view: rowView,
  async run(context, invocation) {
    const account = await resolveAccount(context, invocation.flags.account)
    const name = await sheetName(context, invocation.argument, account)
    const row = await rowNumber(context, invocation.flags, name)
    const values = await cellValues(context, invocation)
    const answer = await sendRequest(context, sheets.updateRow, { ...invocation.input, values, account, name, row })
    if (answer) await printWritten(context, `${answer.message} Row: ${answer.data.number}`, answer.data)
  },
})
