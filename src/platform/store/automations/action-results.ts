import type { Query } from '../database/connection.ts'

/** Returns the result stored under an idempotency key as JSON; undefined if there is none. */
export async function findActionResult(query: Query, account: number, key: string): Promise<string | undefined> {
  const row = await query
    .selectFrom('automation_act')
    .select('result')
    .where('account_id', '=', account)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.result
}

/** Stores the result of an action under its idempotency key. */
export async function insertActionResult(
  query: Query,
  action: { account: number; key: string; result: string; now: number },
): Promise<void> {
  await query
    .insertInto('automation_act')
    .values({ account_id: action.account, key: action.key, result: action.result, created_at: action.now })
    .execute()
}

/** Deletes results that were stored before a time. */
export async function purgeActionResults(query: Query, before: number): Promise<void> {
  await query.deleteFrom('automation_act').where('created_at', '<', before).execute()
}
