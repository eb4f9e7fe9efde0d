import { sql } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import type { Connection, Query } from './connection.ts'
import { StoreError, type StoreErrorReason } from './store-error.ts'

const metaQuery = compiledQuery((query, key: string) => query.selectFrom('meta').select('value').where('key', '=', key))

// Keys of values about the platform. A reset erases them, unlike the keys of the schema and of secrets. Databases have them: they never change.
/** The seed of the platform, or `random`. A platform without it has not been filled. */
export const seedKey = 'seed'
/** How many calls were simulated, so that each has its own number. */
export const simulatedKey = 'simulated'

/** Returns a value about the whole database, such as its seed. */
export const readMeta = async (query: Query, key: string): Promise<string | undefined> =>
  (await metaQuery(query, key))[0]?.value

/** Returns several values about the whole database, by key. */
export async function readMetaValues(
  query: Query,
  keys: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const rows = await query.selectFrom('meta').selectAll().where('key', 'in', keys).execute()
  return Object.fromEntries(rows.map((it) => [it.key, it.value]))
}

const metaUpdate = compiledQuery((query, key: string, value: string) =>
  query
    .insertInto('meta')
    .values({ key, value })
    .onConflict((it) => it.column('key').doUpdateSet({ value })),
)

/** Stores a value about the whole database. */
export async function writeMeta(query: Query, key: string, value: string): Promise<void> {
  await metaUpdate(query, key, value)
}

/** Returns why requests cannot be answered; undefined if the database can be read and written. */
export async function findProblem(connection: Connection): Promise<StoreErrorReason | undefined> {
  const { dialect, read } = connection
  try {
    connection.requireInPlace?.()
    if (dialect === 'sqlite') await readMeta(read, seedKey)
    else {
      const { rows } = await sql<{
        mode: string
      }>`select current_setting('transaction_read_only') as mode from (select key from meta limit 1) as m`.execute(read)
      if (rows[0]?.mode === 'on') return 'read_only'
    }
    return undefined
  } catch (error) {
    return error instanceof StoreError ? error.reason : 'other'
  }
}

/** Returns the number of rows of a table, of all accounts. */
export const countRows = async (query: Query, table: 'account' | 'phone_number' | 'due'): Promise<number> =>
  Number(
    (
      await query
        .selectFrom(table)
        .select((it) => it.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )
