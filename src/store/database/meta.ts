import type { Query } from './connection.ts'

/** Returns a value about the whole database, such as its seed. */
export async function readMeta(query: Query, key: string): Promise<string | undefined> {
  return (await query.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value
}

/** Stores a value about the whole database. */
export async function writeMeta(query: Query, key: string, value: string): Promise<void> {
  await query
    .insertInto('meta')
    .values({ key, value })
    .onConflict((it) => it.column('key').doUpdateSet({ value }))
    .execute()
}

/** Returns whether the database can be read. */
export const isReadable = (query: Query): Promise<boolean> =>
  query
    .selectFrom('meta')
    .select('key')
    .limit(1)
    .execute()
    .then(
      () => true,
      () => false,
    )

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
