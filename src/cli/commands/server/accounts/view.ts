import type { Account } from '../../../../contract/control/accounts.ts'
import { amountText } from '../../../../contract/values/money.ts'
import type { View } from '../../../output/form.ts'

export const view: View<Account> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'kind', title: 'Billing type', priority: 3 },
    {
      key: (it) => amountText(it.balance, it.kind === 'tenant' ? 'usd' : 'minute'),
      field: 'balance',
      title: 'Balance',
      priority: 2,
      align: 'right',
    },
    { key: 'payment_method', title: 'Payment method', priority: 2 },
    { key: 'numbers', title: 'Numbers', priority: 4, kind: 'number' },
  ],
  empty: 'No accounts. Load sample data: parley server seed.',
}
