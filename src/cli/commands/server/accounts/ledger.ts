import { accounts, type LedgerEntry } from '../../../../contract/control/accounts.ts'
import { amountText } from '../../../../contract/values/money.ts'
import { command } from '../../../commandline/command.ts'
import { requestById } from '../../../input/request-by-id.ts'
import type { View } from '../../../output/form.ts'
import { printList } from '../../../output/print-list.ts'
import { accountTarget } from './update.ts'

const view: View<LedgerEntry> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'created_at', title: 'When', priority: 2, kind: 'time' },
    { key: 'kind', title: 'Transaction', priority: 2 },
    { key: (it) => amountText(it.amount, it.unit), field: 'amount', title: 'Amount', priority: 2, align: 'right' },
    {
      key: (it) => (it.balance_after === null ? null : amountText(it.balance_after, it.unit)),
      field: 'balance_after',
      title: 'Balance',
      priority: 2,
      align: 'right',
    },
    { key: 'reason', title: 'Reason', priority: 4, flexible: true },
  ],
  empty: 'No transactions.',
}

export const ledger = command({
  endpoint: accounts.ledger,
  argument: { name: 'id', describe: 'Id or name of the account' },
  isList: true,
  examples: ['1', '1 --json'],
  view,
  run: async (context, { argument }) =>
    requestById(context, argument, accountTarget, (id) => printList(context, accounts.ledger, { id })),
})
