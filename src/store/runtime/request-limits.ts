import type { Query } from '../database/connection.ts'

/** Counts one request in a fixed window and returns the count of the window, including this request. */
export async function countInFixedWindow(
  query: Query,
  account: number,
  name: string,
  windowStart: number,
): Promise<number> {
  const row = await query
    .insertInto('request_limit')
    .values({ account_id: account, name, window_start: windowStart, used: 1 })
    .onConflict((it) =>
      it.columns(['account_id', 'name']).doUpdateSet((row) => ({
        used: row
          .case()
          .when('request_limit.window_start', '=', windowStart)
          .then(row('request_limit.used', '+', 1))
          .else(1)
          .end(),
        window_start: windowStart,
      })),
    )
    .returning('used')
    .executeTakeFirstOrThrow()
  return row.used
}

/**
 * Requests entry to a sliding window that allows at most `max` requests in any period of `window`.
 * Returns the times that count now, the latest last, and whether the request at `now` was accepted. Later times, from
 * before the clock was set back, do not count.
 */
export async function tryEnterSlidingWindow(
  query: Query,
  account: number,
  name: string,
  { now, window, max }: { now: number; window: number; max: number },
): Promise<{ readonly isAllowed: boolean; readonly times: readonly number[] }> {
  const row = await query
    .selectFrom('request_log')
    .select('times')
    .where('account_id', '=', account)
    .where('name', '=', name)
    .executeTakeFirst()
  const recent = (row ? (JSON.parse(row.times) as number[]) : []).filter((it) => it > now - window && it <= now)
  if (recent.length >= max) return { isAllowed: false, times: recent }
  const times = [...recent, now]
  await query
    .insertInto('request_log')
    .values({ account_id: account, name, times: JSON.stringify(times) })
    .onConflict((it) => it.columns(['account_id', 'name']).doUpdateSet({ times: JSON.stringify(times) }))
    .execute()
  return { isAllowed: true, times }
}
