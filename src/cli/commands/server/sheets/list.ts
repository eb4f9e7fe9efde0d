import { sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../output/print-list.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { sheetView as view } from './view.ts'

export const list = command({
  endpoint: sheets.list,
  flags: [accountFlag],
  isList: true,
  examples: ['', '--account 1 --json'],
  notes:
    'Lists the folder of the "spreadsheet" connection (--connection for another one), or spreadsheets/<account id> of the data folder. With PostgreSQL, spreadsheets are in the database.',
  view,
  run: async (context, { input, flags }) =>
    printList(context, sheets.list, { ...input, account: await resolveAccount(context, flags.account) }),
})
