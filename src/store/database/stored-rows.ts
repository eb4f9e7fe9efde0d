import type { Query } from './connection.ts'
import { loadKysely } from './kysely.ts'
import { sql } from './sql.ts'

/** A value as a database stores it. */
export type StoredValue = string | number | null

/** Returns all rows of a table, in the order in which they are stored. */
export const readRows = async (
  query: Query,
  table: string,
): Promise<readonly Readonly<Record<string, StoredValue>>[]> =>
  (await sql<Record<string, StoredValue>>`select * from ${sql.table(table)}`.execute(query)).rows

/** Inserts rows that have a value for each of the columns, with one statement, in the caller's transaction. SQLite only. */
export async function insertRows(
  query: Query,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly StoredValue[])[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map((it) => `"${it}"`).join(', ')
  const row = `(${columns.map(() => '?').join(', ')})`
  const statement = `insert into "${table}" (${names}) values ${rows.map(() => row).join(', ')}`
  await query.executeQuery(loadKysely().CompiledQuery.raw(statement, rows.flat()))
}
