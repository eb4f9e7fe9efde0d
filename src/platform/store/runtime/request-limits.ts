import { sql } from 'kysely'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AccountQuery } from '../database/connection.ts'

/** Microseconds by which the clocks of two servers may differ. */
const maxSkew = 10_000_000

/**
 * Counts requests in a fixed window of the length `window`. Returns the count of the window, including these, and the
 * start of the window. A server whose clock is slightly behind counts in the window that another one has started.
 */
export async function countInFixedWindow(
  query: AccountQuery,
  name: string,
  { now, window, requests = 1 }: { readonly now: number; readonly window: number; readonly requests?: number },
): Promise<{ readonly used: number; readonly windowStart: number }> {
  const windowStart = now - (now % window)
  const nextStart = windowStart + window
  const latestStart = now + maxSkew >= nextStart ? nextStart : windowStart
  const isCurrent = sql`request_limit.window_start between ${windowStart} and ${latestStart}`
  const row = await query
    .insertInto('request_limit')
    .values({ account_id: query.account, name, window_start: windowStart, used: requests })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'name']).doUpdateSet({
        used: sql<number>`case when ${isCurrent} then request_limit.used + ${requests} else ${requests} end`,
        window_start: sql<number>`case when ${isCurrent} then request_limit.window_start else ${windowStart} end`,
      }),
    )
    .returning(['used', 'window_start'])
    .executeTakeFirstOrThrow()
  return { used: row.used, windowStart: row.window_start }
}

/**
 * Requests entry to a sliding window that allows at most `max` requests in any period of `window`.
 * Returns the times that count now, the latest last, and whether the request at `now` was accepted. Times of
 * another server may be slightly later; those from before the clock was set back do not count.
 */
export async function tryEnterSlidingWindow(
  query: AccountQuery,
  name: string,
  { now, window, max }: { now: number; window: number; max: number },
): Promise<{ readonly isAllowed: boolean; readonly times: readonly number[] }> {
  const row = await query
    .selectFrom('request_log')
    .select('times')
    .where('account_id', '=', query.account)
    .where('name', '=', name)
    .executeTakeFirst()
  const recent = (row ? (parseJson(row.times) as number[]) : []).filter(
    (it) => it > now - window && it <= now + maxSkew,
  )
  if (recent.length >= max) return { isAllowed: false, times: recent }
  const times = [...recent, Math.max(now, recent.at(-1) ?? now)]
  await query
    .insertInto('request_log')
    .values({ account_id: query.account, name, times: stringifyJson(times) })
    .onConflict((it) => it.columns(['account_id', 'name']).doUpdateSet({ times: stringifyJson(times) }))
    .execute()
  return { isAllowed: true, times }
}
