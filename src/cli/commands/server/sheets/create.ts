import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { argument, printWritten, sheetName, sheetView as view } from './view.ts'

export const create = command({
  endpoint: sheets.create,
  argument,
  flags: [accountFlag],
  examples: ['contacts --columns Name,Phone', 'contacts --sheet Archive --columns Name,Phone --account 1'],
  view,
  async run(context, { argument: given, input, flags }) {
    const name = sheetName(given)
    if (input.columns === undefined)
      throw usageError('Missing --columns.', 'Pass the headers, for example --columns Name,Phone.')
    const account = await resolveAccount(context, flags.account)
    const answer = await sendRequest(context, sheets.create, { ...input, account, name })
    if (answer) await printWritten(context, answer.message, answer.data)
  },
})
