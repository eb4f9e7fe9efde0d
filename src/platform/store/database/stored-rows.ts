import { CompiledQuery, sql } from 'kysely'
import { accountCondition } from './account-query.ts'
import type { AccountQuery, Dialect, Query } from './connection.ts'

/** A value as a database stores it, for what copies and generates rows without the types of their tables. */
export type StoredValue = string | number | null

/** Returns all rows of a table, in the order in which they are stored. */
export const readRows = async (
  query: Query,
  table: string,
): Promise<readonly Readonly<Record<string, StoredValue>>[]> =>
  (await sql<Record<string, StoredValue>>`select * from ${sql.table(table)}`.execute(query)).rows

/**
 * Inserts rows that have a value for each of the columns, with one statement, in the caller's transaction. On PostgreSQL
 * the ids of later rows continue after those of the rows.
 */
export async function insertRows(
  query: Query,
  dialect: Dialect,
  { name, columns }: { readonly name: string; readonly columns: readonly string[] },
  rows: readonly (readonly StoredValue[])[],
): Promise<void> {
  if (rows.length === 0) return
  let n = 0
  const mark = dialect === 'postgres' ? (): string => `$${++n}` : (): string => '?'
  const values = rows.map((row) => `(${row.map(mark).join(', ')})`).join(', ')
  const statement = `insert into "${name}" (${columns.map((it) => `"${it}"`).join(', ')}) values ${values}`
  await query.executeQuery(CompiledQuery.raw(statement, rows.flat()))
  const id = columns[0]
  if (dialect === 'postgres' && id !== undefined && typeof rows[0]?.[0] === 'number')
    await sql`select setval(pg_get_serial_sequence(${`"${name}"`}, ${id}), max(${sql.ref(id)})) from ${sql.table(name)}`.execute(
      query,
    )
}

/** Sets columns of a row of an account, in the caller's transaction. `key` is the column of its id. */
export async function updateStoredRow(
  query: AccountQuery,
  table: string,
  id: number | string,
  values: Readonly<Record<string, StoredValue>>,
  key = 'id',
): Promise<void> {
  const columns = Object.entries(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  await sql`update ${sql.table(table)} set ${sql.join(columns)} where ${sql.ref(key)} = ${id} and ${accountCondition(query, 'account_id')}`.execute(
    query,
  )
}

/** Returns the rows of an account in a table, in the order of `id`. Their types are those of the table. */
export const readAccountRows = async <T>(query: AccountQuery, table: string, id = 'id'): Promise<readonly T[]> =>
  (
    await sql<T>`select * from ${sql.table(table)} where account_id = ${query.account} order by ${sql.ref(id)}`.execute(
      query,
    )
  ).rows
