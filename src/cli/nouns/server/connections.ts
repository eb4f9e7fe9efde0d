// Commands of `server connections`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs
// and flags: they are added, not renamed.

import { accounts } from '../../../contract/control/accounts.ts'
import { type AccountConnection, connections } from '../../../contract/control/connections.ts'
import { command } from '../../program/commandline/command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { accountTarget } from '../../program/dependencies/account-target.ts'
import { requestById, withListHint } from '../../program/input/request-by-id.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How connections are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<AccountConnection> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'kind', title: 'Kind', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'updated_at', title: 'Updated', priority: 3, kind: 'time' },
  ],
  empty: 'No connections. Create one: parley server connections create --kind mail.',
}

/** Flag of commands of a Parley server, which may have several accounts. Scripts pass ids and names. */
export const accountFlag = {
  flags: '--account <id>',
  describe: 'Id or name of the account (default: the only account)',
  field: 'account',
} as const

/** Returns the account given by name or id, or the only one; otherwise prompts. */
export async function resolveAccount(context: Context, given: unknown): Promise<number> {
  if (given !== undefined) return resolveId(context, String(given), accountTarget)
  const { data } = await context.call(accounts.list, {})
  const [only, ...others] = data
  return only && others.length === 0 ? only.id : resolveId(context, undefined, accountTarget, '--account')
}

/** Returns the target for connections of an account. */
const connectionTarget = (account: number): Target => ({
  singular: 'connection',
  list: connections.list,
  within: { account },
  listCommand: 'server connections list',
  by: ['name'],
  label: (it) => `${it.name}, ${it.kind}, ${it.status} (${it.id})`,
})

const argument = { name: 'id', describe: 'Id or name of the connection' } as const

export const create = command({
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

export const breakConnection = command({
  endpoint: connections.break,
  argument,
  flags: [accountFlag],
  examples: ['mail'],
  notes: 'To reactivate it, create it again with the same name and kind.',
  view,
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const answer = await requestById(context, argument, connectionTarget(account), (id) =>
      sendRequest(context, connections.break, { account, id }),
    )
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley server connections list')
  },
})

export const list = command({
  endpoint: connections.list,
  flags: [accountFlag],
  isList: true,
  examples: ['', '--account 1 --json'],
  view,
  run: async (context, { flags }) =>
    printList(context, connections.list, { account: await resolveAccount(context, flags.account) }),
})

export const remove = command({
  endpoint: connections.remove,
  argument,
  flags: [accountFlag],
  examples: ['mail --yes'],
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const target = connectionTarget(account)
    const id = await resolveId(context, argument, target)
    if (await previewRequest(context, connections.remove, { account, id })) return
    await requireConfirmation(context, {
      question: `Delete connection ${id}? Automations that use it will fail.`,
      refusalMessage: `Deleting connection ${id} cannot be undone and requires confirmation.`,
    })
    const { message } = await withListHint(target, () => context.call(connections.remove, { account, id }))
    await printMessage(context, message, id)
  },
})
