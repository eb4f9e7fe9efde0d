import type { Query } from '../database/connection.ts'

/** What was done under an idempotency key, as JSON; undefined when nothing was. */
export async function findActionResult(query: Query, account: number, key: string): Promise<string | undefined> {
  const row = await query
    .selectFrom('automation_act')
    .select('result')
    .where('account_id', '=', account)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.result
}

export async function insertActionResult(
  query: Query,
  action: { account: number; key: string; result: string; now: number },
): Promise<void> {
  await query
    .insertInto('automation_act')
    .values({ account_id: action.account, key: action.key, result: action.result, created_at: action.now })
    .execute()
}
