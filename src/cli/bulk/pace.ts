import type { RateLimit } from '../../contract/endpoint.ts'

/** Says when the next request may leave. */
export interface Pace {
  /** Waits for the next turn; rejects when the signal is aborted. */
  turn(signal: AbortSignal): Promise<void> | undefined
  /** A request has to wait this long (ms) before it is tried again: nobody else goes first. */
  held(waitMs: number): void
  /** What an answer says of how much is left. */
  heard(headers: Readonly<Record<string, string>>): void
  /** How many may be under way. */
  readonly lanes: number
}

export interface PaceOptions {
  /** At most so many are under way. */
  readonly lanes: number
  /** What the endpoint is known to allow. */
  readonly limit?: RateLimit | undefined
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** So much later than the limit allows: requests do not take equally long to arrive. */
const slack = 1.01

/**
 * A pace that is known is kept from the first request on; others are found: each 429 makes it half as many at a time, each good answer a little more again.
 * Somebody else may use the same limit: being turned away stretches the pace, good answers bring it back.
 */
export function createPace({ lanes: most, limit, sleep }: PaceOptions): Pace {
  const usual = limit ? (limit.seconds * 1000 * slack) / limit.max : 0
  let interval = usual
  let lanes = most
  let next = 0
  let holdUntil = 0

  return {
    get lanes() {
      return Math.max(1, Math.floor(lanes))
    },
    turn(signal) {
      const now = performance.now()
      const from = Math.max(next, holdUntil)
      if (from <= now) {
        // Time that went by unused is not made up for: the limit counts any span.
        if (interval > 0) next = now - from < interval ? from + interval : now + interval
        return undefined
      }
      return (async () => {
        for (let left = from - now; left > 0; left = Math.max(next, holdUntil) - performance.now()) await sleep(Math.ceil(left), signal)
        if (interval > 0) next = Math.max(performance.now() - interval, next) + interval
      })()
    },
    held(waitMs) {
      holdUntil = Math.max(holdUntil, performance.now() + (limit ? interval : waitMs))
      interval = Math.min(interval * 1.5, 10 * usual)
      lanes = Math.max(1, lanes / 2)
    },
    heard(headers) {
      const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
      const reset = Number(headers['retry-after'] ?? Number.NaN)
      if (remaining === 0 && reset > 0) holdUntil = Math.max(holdUntil, performance.now() + reset * 1000)
      interval = Math.max(usual, interval * 0.95)
      lanes = Math.min(most, lanes + 1 / lanes)
    },
  }
}
