// Names that are unique over all accounts, such as the hash of an API key: one small table says which account has a name, for
// requests that know nothing else. On a sharded PostgreSQL it has a copy on every node, so that finding the account needs
// no other account's shard, and its primary key is what keeps a name unique.

import { sql } from 'kysely'
import type { NameKind } from '../accounts/tables.ts'
import { accountQuery, acrossAccounts } from './account-query.ts'
import { compiledQuery } from './compiled-query.ts'
import type { AccountQuery, Connection, PlatformQuery, Query } from './connection.ts'
import { StoreError } from './store-error.ts'

/** What has a name: the table of its row, with the column of the name and the condition under which the row holds it. */
const namedRows = {
  api_key: { column: 'hash', condition: 'true' },
  // A SIP extension is not globally unique.
  phone_number: { column: 'phone_number', condition: "type <> 'sip'" },
  // The states are those of activePurchaseStates (store/billing/purchases.ts) and of the unique index of the table.
  purchase: {
    column: 'phone_number',
    condition: "state in ('reserved', 'paid', 'provisioned', 'owned', 'refunding')",
  },
  automation: { column: 'id', condition: 'true' },
  assistant: { column: 'uuid', condition: 'true' },
} as const satisfies Record<NameKind, { readonly column: string; readonly condition: string }>

const nameKinds = Object.keys(namedRows) as NameKind[]

const nameQuery = compiledQuery(
  (query, kind: NameKind, name: string) =>
    query.selectFrom('account_name').select('account').where('kind', '=', kind).where('name', '=', name),
  { isSingleRow: true },
)

const insertNameQuery = compiledQuery((query, kind: NameKind, name: string, account: number) =>
  query
    .insertInto('account_name')
    .values({ kind, name, account })
    .onConflict((it) => it.doNothing())
    .returning('account'),
)

/** Stores which account has a name, whatever was stored. */
async function writeName(query: Query, kind: NameKind, name: string, account: number): Promise<void> {
  await query
    .insertInto('account_name')
    .values({ kind, name, account })
    .onConflict((it) => it.columns(['kind', 'name']).doUpdateSet({ account }))
    .execute()
}

/** Locks a name until the transaction ends. Returns its account; undefined if another transaction has deleted the name. */
async function lockName(query: Query, kind: NameKind, name: string): Promise<number | undefined> {
  const row = await query
    .updateTable('account_name')
    .set((row) => ({ account: row.ref('account') }))
    .where('kind', '=', kind)
    .where('name', '=', name)
    .returning('account')
    .executeTakeFirst()
  return row?.account
}

/** Returns whether a row has a name, of the account or of any. */
async function hasRow(query: Query, kind: NameKind, name: string, account?: number): Promise<boolean> {
  const { column, condition } = namedRows[kind]
  const { rows } = await sql`
    select 1 from ${sql.table(kind)} where ${sql.ref(column)} = ${name} and ${sql.raw(condition)}
      ${account === undefined ? sql`` : sql`and account_id = ${account}`} limit 1
  `.execute(acrossAccounts(query))
  return rows.length > 0
}

/**
 * Takes a name for an account, in the transaction that inserts the row, and before it. Returns false if another row has
 * it. A name without a row is free: a server of an earlier version has deleted the row.
 */
export async function takeName(query: Query, kind: NameKind, name: string, account: number): Promise<boolean> {
  // The name stays locked until the transaction ends: of several that find it without a row, the next one sees that of the first.
  let holder: number | undefined
  do {
    if ((await insertNameQuery(query, kind, name, account)).length > 0) return true
    holder = await lockName(query, kind, name)
  } while (holder === undefined)
  // Usually the account of the name has the row, and no other one needs to be asked.
  if ((await hasRow(query, kind, name, holder)) || (await hasRow(query, kind, name))) return false
  await writeName(query, kind, name, account)
  return true
}

/** Takes a name that no other row can have, because it is random or was searched for. @throws Error if one has it */
export async function requireName(query: Query, kind: NameKind, name: string, account: number): Promise<void> {
  if (!(await takeName(query, kind, name, account))) throw new NameTakenError(kind)
}

/** Another row has the name of a new one. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError'

  constructor(kind: NameKind) {
    super(`Another row of ${kind} has this ${namedRows[kind].column}.`)
  }
}

/** Releases a name of an account, in the transaction that deletes the row. */
export async function releaseName(query: Query, kind: NameKind, name: string, account: number): Promise<void> {
  await query
    .deleteFrom('account_name')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('account', '=', account)
    .execute()
}

/** Releases all names of an account. */
export async function releaseNames(query: Query, account: number): Promise<void> {
  await query.deleteFrom('account_name').where('account', '=', account).execute()
}

/** How a row is found by its name: in the account that has the name, or in any. */
interface FindNamed<T> {
  readonly own: (query: AccountQuery) => Promise<T | undefined>
  readonly any: (query: PlatformQuery) => Promise<T | undefined>
  readonly accountOf: (row: T) => number
}

type Names = Pick<Connection, 'read' | 'write' | 'isSharded'>

/** Returns the row with a name, read in the transaction or on the connection of `read`. `known` is an account that had the name. */
export async function readNamed<T>(
  { read, isSharded }: Pick<Names, 'read' | 'isSharded'>,
  kind: NameKind,
  name: string,
  find: Pick<FindNamed<T>, 'own' | 'any'>,
  known?: number,
): Promise<{ readonly row: T | undefined; readonly hasName: boolean }> {
  const account = known ?? (await nameQuery(read, kind, name))[0]?.account
  const own = account === undefined ? undefined : await find.own(accountQuery(read, account))
  return { row: own ?? (isSharded?.() ? undefined : await find.any(read)), hasName: own !== undefined }
}

/** Accounts of names that were found, by kind and name: they rarely change, and a wrong one finds no row. */
const foundAccounts = new WeakMap<PlatformQuery, Map<string, number>>()
const maxFoundAccounts = 10_000

/**
 * Returns the row with a name: that of the account which has the name, or one of any account, whose name is then stored.
 * A server of an earlier version inserts rows without names; none uses a database whose accounts lie on shards.
 */
export async function findNamed<T>(
  connection: Names,
  kind: NameKind,
  name: string,
  find: FindNamed<T>,
): Promise<T | undefined> {
  const { read } = connection
  const found = foundAccounts.get(read) ?? new Map<string, number>()
  foundAccounts.set(read, found)
  const key = `${kind} ${name}`
  const { row, hasName } = await readNamed(connection, kind, name, find, found.get(key))
  if (row === undefined) {
    found.delete(key)
    return undefined
  }
  const owner = find.accountOf(row)
  if (!hasName) await storeFoundName(connection, kind, name, owner)
  if (found.size >= maxFoundAccounts) found.clear()
  found.set(key, owner)
  return row
}

/** Stores a missing name. A database that cannot be written is read all the same. */
async function storeFoundName(connection: Names, kind: NameKind, name: string, account: number): Promise<void> {
  try {
    await connection.write('rows', (query) => writeName(query, kind, name, account))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** Rows with a name and their accounts, of all kinds. */
const allNamedRows = sql.raw(
  nameKinds
    .map((kind) => {
      const { column, condition } = namedRows[kind]
      return `select '${kind}' as kind, ${column} as name, account_id as account from ${kind} where ${condition}`
    })
    .join(' union all '),
)

/**
 * Counts the names that are missing, or that their row does not have, or not in this account. The name of a key without
 * its row is right: it is released after the key.
 */
export async function countWrongNames(query: PlatformQuery): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (
      select kind, name from (
        select kind, name, account, 1 as has_row from (${allNamedRows}) named
        union all select kind, name, account, 0 from account_name
      ) r
      group by kind, name
      having (count(*) <> 2 or min(account) <> max(account)) and (kind <> 'api_key' or max(has_row) = 1)
    ) w`.execute(query)
  return Number(rows[0]?.n)
}

/** Stores the names that rows of servers of earlier versions lack, before no such server can be started. PostgreSQL only. */
export async function addMissingNames(query: PlatformQuery): Promise<void> {
  await sql`insert into account_name (kind, name, account) ${allNamedRows} on conflict do nothing`.execute(query)
}

/** Stores the names of all rows again, in the caller's transaction. */
export async function rebuildNames(query: PlatformQuery): Promise<void> {
  await query.deleteFrom('account_name').execute()
  await sql`insert into account_name (kind, name, account) ${allNamedRows}`.execute(query)
}
