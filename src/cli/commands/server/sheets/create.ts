import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { newSheetName, sheetColumns } from './prompts.ts'
import { argument, printWritten, sheetView as view } from './view.ts'

export const create = command({
  endpoint: sheets.create,
  argument,
  flags: [accountFlag],
  examples: ['contacts --columns Name,Phone', 'contacts --sheet Archive --columns Name,Phone --account 1'],
  view,
  async run(context, { argument: given, input, flags }) {
    const name = await newSheetName(context, given)
    const columns = await sheetColumns(context, input.columns)
    const account = await resolveAccount(context, flags.account)
    const answer = await sendRequest(context, sheets.create, { ...input, columns, account, name })
    if (answer) await printWritten(context, answer.message, answer.data)
  },
})
