import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { rowNumber, sheetName } from './prompts.ts'
import { argument, rowFlag } from './view.ts'

export const deleteRow = command({
  endpoint: sheets.deleteRow,
  argument,
  flags: [rowFlag, accountFlag],
  examples: ['contacts --row 2 --yes'],
  notes: 'Later rows move up by one.',
  async run(context, { argument: given, input, flags }) {
    const account = await resolveAccount(context, flags.account)
    const name = await sheetName(context, given, account)
    const row = await rowNumber(context, flags, name)
    const query = { ...input, account, name, row }
    if (await previewRequest(context, sheets.deleteRow, query)) return
    await requireConfirmation(context, {
      question: `Delete row ${row} of spreadsheet "${name}"?`,
      refusalMessage: `Deleting row ${row} of spreadsheet "${name}" cannot be undone and requires confirmation.`,
    })
    const { message } = await context.call(sheets.deleteRow, query as never)
    await printMessage(context, message, row)
  },
})
