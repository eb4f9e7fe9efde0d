import { accounts } from '../../../../contract/control/accounts.ts'
import { type AccountConnection, connections } from '../../../../contract/control/connections.ts'
import type { Context } from '../../../context.ts'
import { resolveId, type Target } from '../../../input/resolve-target.ts'
import type { View } from '../../../output/form.ts'
import { accountTarget } from '../accounts/update.ts'

export const view: View<AccountConnection> = {
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
export const connectionTarget = (account: number): Target => ({
  singular: 'connection',
  list: connections.list,
  within: { account },
  listCommand: 'server connections list',
  by: ['name'],
  label: (it) => `${it.name}, ${it.kind}, ${it.status} (${it.id})`,
})

export const argument = { name: 'id', describe: 'Id or name of the connection' } as const
