import { Failure } from '../../contract/errors/failures.ts'
import type { RateLimit } from '../../contract/mechanics/endpoint.ts'
import { type Micros, second } from '../../contract/values/micros.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { countInFixedWindow, tryEnterSlidingWindow } from '../../store/runtime/request-limits.ts'

/** Rate limit for all requests of an account, in windows of `seconds`. */
export type RequestLimit = RateLimit

type Headers = Record<string, string>

const limitHeaders = ({ max }: RateLimit, left: number): Headers => ({
  'x-ratelimit-limit': String(max),
  'x-ratelimit-remaining': String(Math.max(0, left)),
})

function throttled(limit: RateLimit, waitMicros: Micros, frozen: boolean): Failure {
  const seconds = Math.max(1, Math.ceil(waitMicros / second))
  return new Failure('throttled', {
    extra: { retry_after: seconds },
    headers: { ...limitHeaders(limit, 0), 'retry-after': String(seconds), ...(frozen && { 'parley-clock': 'frozen' }) },
  })
}

/** Counts a request in a fixed window. Returns the rate limit headers. @throws Failure 429 with Retry-After */
export async function checkFixedWindow(
  { connection, clock, countEvent }: Deps,
  account: number,
  limit: RequestLimit,
): Promise<Headers> {
  const window: Micros = limit.seconds * second
  const { used, now, frozen } = await connection.write('rows', async (query) => {
    const { now, frozen } = await clock.read(query)
    return { used: await countInFixedWindow(query, account, limit.name, { now, window }), now, frozen }
  })
  if (used > limit.max) {
    countEvent?.('refusal', { subject: limit.name })
    throw throttled(limit, window - (now % window), frozen)
  }
  return limitHeaders(limit, limit.max - used)
}

/**
 * Counts a request in a sliding window: at most `max` in any period of that length, unlike with fixed windows. Rejected
 * requests are not counted. @throws Failure 429 with Retry-After
 */
export async function checkSlidingWindow(
  { connection, clock, countEvent }: Deps,
  account: number,
  limit: RateLimit,
): Promise<Headers> {
  const window: Micros = limit.seconds * second
  const { isAllowed, times, now, frozen } = await connection.write({ account }, async (query) => {
    const { now, frozen } = await clock.read(query)
    return {
      ...(await tryEnterSlidingWindow(query, account, limit.name, { now, window, max: limit.max })),
      now,
      frozen,
    }
  })
  if (!isAllowed) {
    countEvent?.('refusal', { subject: limit.name })
    throw throttled(limit, (times[0] ?? now) + window - now, frozen)
  }
  return limitHeaders(limit, limit.max - times.length)
}
