import type { RateLimit } from '../../../contract/endpoint/endpoint.ts'
import { clockFrozen, clockHeader } from '../../../contract/endpoint/headers.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { type Micros, second } from '../../../contract/values/micros.ts'
import { realTime } from '../../../node/real-time.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { Connection } from '../../store/database/connection.ts'
import { countInFixedWindow, tryEnterSlidingWindow } from '../../store/runtime/request-limits.ts'
import type { Deps } from './deps.ts'

type Headers = Record<string, string>

const limitHeaders = ({ max }: RateLimit, left: number): Headers => ({
  'x-ratelimit-limit': String(max),
  'x-ratelimit-remaining': String(Math.max(0, left)),
})

function throttled(limit: RateLimit, waitMicros: Micros, frozen: boolean): Failure {
  const seconds = Math.max(1, Math.ceil(waitMicros / second))
  return new Failure('throttled', {
    extra: { retry_after: seconds },
    headers: {
      ...limitHeaders(limit, 0),
      'retry-after': String(seconds),
      ...(frozen && { [clockHeader]: clockFrozen }),
    },
  })
}

/** Requests of an account that this server has counted in advance, in one window. */
interface Share {
  windowStart: Micros
  /** Requests that all servers have counted in the window, as far as this one knows. */
  counted: number
  /** Counted requests that this server has not answered yet. */
  left: number
  /** Requests that this server has refused. */
  refused: number
  /** The statement that counts more, if one is running. */
  counting: Promise<void> | undefined
}

/**
 * Number of refusals in a window that are sent at once, and milliseconds that each further one waits. A client that
 * repeats its requests without a pause would otherwise use the time of the server for refusals.
 */
export const promptRefusals = 50
export const refusalDelayMs = 1000

/** Maximum number of requests that are counted in advance. */
const maxShare = 100
/** Part of the remaining requests that a server may count in advance, so that others are not refused too early. */
const sharePart = 20

const shares = new WeakMap<Connection, Map<number, Share>>()

/**
 * Counts a request in a fixed window. A server counts several requests in advance with one statement, fewer the nearer
 * the limit is, so that all servers together never accept more. Returns the rate limit headers. @throws Failure 429 with
 * Retry-After
 */
export async function requireFixedWindow(
  { connection, clock, countEvent }: Deps,
  account: number,
  limit: RateLimit,
): Promise<Headers> {
  const window: Micros = limit.seconds * second
  const own = shares.get(connection) ?? new Map<number, Share>()
  shares.set(connection, own)
  const { now, frozen } = await clock.read()
  let share = currentShare(own, account, now - (now % window))
  // One statement at a time, so that concurrent requests do not count more in advance than one would.
  while (share.left === 0 && share.counted < limit.max) {
    share.counting ??= countAhead(share)
    await share.counting
    share = own.get(account) ?? share
  }
  if (share.left === 0) {
    countEvent?.('refusal', { subject: limit.name })
    if (++share.refused > promptRefusals)
      await new Promise<void>((resolve) => realTime.setTimeout(resolve, refusalDelayMs))
    throw throttled(limit, window - (now % window), frozen)
  }
  share.left--
  return limitHeaders(limit, limit.max - share.counted + share.left)

  async function countAhead(share: Share): Promise<void> {
    try {
      const requests = Math.min(maxShare, Math.max(1, Math.floor((limit.max - share.counted) / sharePart)))
      const { used, windowStart } = await connection.write('rows', async (query) =>
        countInFixedWindow(accountQuery(query, account), limit.name, { now: await clock.now(query), window, requests }),
      )
      const current = currentShare(own, account, windowStart)
      current.left += requests - Math.max(0, Math.min(requests, used - limit.max))
      current.counted = Math.max(current.counted, Math.min(used, limit.max))
    } finally {
      share.counting = undefined
    }
  }
}

/** Returns the share of a window; a new one if that of the account is of an earlier window. */
function currentShare(own: Map<number, Share>, account: number, windowStart: Micros): Share {
  const known = own.get(account)
  // The window of another server may have started a moment earlier.
  if (known && windowStart <= known.windowStart) return known
  const share: Share = { windowStart, counted: 0, left: 0, refused: 0, counting: undefined }
  own.set(account, share)
  return share
}

/**
 * Counts a request in a sliding window: at most `max` in any period of that length, unlike with fixed windows. Rejected
 * requests are not counted. @throws Failure 429 with Retry-After
 */
export async function requireSlidingWindow(
  { connection, clock, countEvent }: Deps,
  account: number,
  limit: RateLimit,
): Promise<Headers> {
  const window: Micros = limit.seconds * second
  const { isAllowed, times, now, frozen } = await connection.write({ account }, async (query) => {
    const { now, frozen } = await clock.read(query)
    return {
      ...(await tryEnterSlidingWindow(query, limit.name, { now, window, max: limit.max })),
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
