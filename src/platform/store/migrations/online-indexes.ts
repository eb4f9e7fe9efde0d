import { sql } from 'kysely'
import type { OnlineStatement, PlatformQuery, Statement } from '../database/connection.ts'

/** An index, its table, its columns, and a condition on the rows in it. */
export type Index = readonly [name: string, table: string, columns: string, condition?: string]

/** Returns the statement that creates an index. `runAtOnce` of database/migrate-online.ts removes ` concurrently` from it. */
const createIndex = ([name, table, columns, condition]: Index, how: '' | ' concurrently'): string =>
  `create index${how} ${name} on ${table} (${columns})${condition === undefined ? '' : ` where ${condition}`}`

/** Returns the statements that create indexes on SQLite. PostgreSQL builds them with `findMissingIndexes`. */
export const createIndexes = (indexes: readonly Index[]): Statement[] =>
  indexes.map((index) => ({ sqlite: createIndex(index, '') }))

/**
 * Returns what builds the missing ones of some indexes on PostgreSQL while other servers use the tables. What is missing is read from the
 * catalog. A build that was interrupted leaves an invalid index, which is removed first.
 */
export const findMissingIndexes =
  (indexes: readonly Index[]) =>
  async (query: PlatformQuery): Promise<readonly OnlineStatement[]> => {
    const { rows } = await sql<{ name: string; is_valid: boolean }>`
    select c.relname as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace and c.relname = any(${indexes.map(([name]) => name)}::text[])`.execute(
      query,
    )
    const known = new Map(rows.map(({ name, is_valid }) => [name, is_valid]))
    return indexes.flatMap((index) => {
      const [name] = index
      if (known.get(name) === true) return []
      return [
        ...(known.has(name) ? [{ sql: `drop index concurrently if exists ${name}`, isBlocking: false }] : []),
        { sql: createIndex(index, ' concurrently'), isBlocking: false },
      ]
    })
  }
