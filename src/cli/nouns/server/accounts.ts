// Commands of `server accounts`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs
// and flags: they are added, not renamed.

import { type Account, accounts, type LedgerEntry } from '../../../contract/control/accounts.ts'
import { amountText } from '../../../contract/values/money.ts'
import { command } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { accountTarget } from '../../program/dependencies/account-target.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'

/** View of a new key, which is shown only once. Scripts read the key with `-o id`, or as `key`. */
const keyView: View<{ readonly key: string }> = {
  id: (it) => it.key,
  columns: [{ key: 'key', title: 'Key', priority: 1 }],
  empty: '',
}

export const create = command({
  endpoint: accounts.create,
  examples: [
    '--name "Second practice" --balance 10 --payment-method pm_card_visa',
    '--name Direct --kind direct --balance 100',
  ],
  notes: 'Use its key in a separate profile or in PARLEY_API_KEY.',
  view: keyView,
  async run(context, { input }) {
    const answer = await sendRequest(
      context,
      accounts.create,
      await promptMissingFields(context, accounts.create, input),
    )
    if (!answer) return
    await context.out.record({ ...answer.data, key: answer.token }, { view: keyView })
    await context.notes.note('Save the key now. It is not shown again.')
  },
})

/** How accounts are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<Account> = {
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

export const update = updateCommand({
  endpoint: accounts.update,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: [
    '1 --top-up 20',
    '1 --balance 0',
    '1 --payment-method null',
    '1 --payment-method pm_card_declined',
    '1 --max-campaigns 3',
  ],
  view,
  target: accountTarget,
  changesHint: 'Pass --top-up, --balance, --payment-method, --max-campaigns, --name or --email.',
  next: () => 'parley server accounts list',
})

export const remove = deleteCommand({
  endpoint: accounts.delete,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['2'],
  target: accountTarget,
  buildQuestion: (called) => `Delete account ${called}? Its keys, numbers, assistants and all other data are deleted.`,
})

export const key = command({
  endpoint: accounts.key,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['1', '1 --name laptop --json', '1 --name approvals --scope approve'],
  notes:
    'A key with the scope approve decides pending operations and does nothing else. Only this command creates one.\nIf the key of the profile "local" was deleted, the new key replaces it.',
  view: keyView,
  async run(context, { argument, input }) {
    const answer = await requestById(context, argument, accountTarget, (id) =>
      sendRequest(context, accounts.key, { ...input, id }),
    )
    if (!answer) return
    await context.out.record({ key: answer.token }, { view: keyView })
    await context.notes.note(`${answer.message} Save the key now. It is not shown again.`)
  },
})

const ledgerView: View<LedgerEntry> = {
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
  view: ledgerView,
  run: async (context, { argument }) =>
    requestById(context, argument, accountTarget, (id) => printList(context, accounts.ledger, { id })),
})

export const list = listCommand({
  endpoint: accounts.list,
  examples: ['', '--json'],
  view,
})
