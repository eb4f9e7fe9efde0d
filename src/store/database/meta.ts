import type { Query } from './connection.ts'

/** Small facts about the whole database: its seed, when it was filled. */
export async function readMeta(query: Query, key: string): Promise<string | undefined> {
  return (await query.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value
}

export async function writeMeta(query: Query, key: string, value: string): Promise<void> {
  await query
    .insertInto('meta')
    .values({ key, value })
    .onConflict((it) => it.column('key').doUpdateSet({ value }))
    .execute()
}
