import type { RateLimit } from '../../contract/mechanics/endpoint.ts'

/** Says when the next request may leave. */
export interface RateLimiter {
  /** Waits for the next turn; undefined when it is now. Rejects when the signal is aborted. */
  acquire(signal: AbortSignal): Promise<void> | undefined
  /** A request was turned away and waits this long (ms) before it is tried again. */
  onThrottled(waitMs: number): void
  /** What an answer says of how much is left. */
  onResponse(headers: Readonly<Record<string, string>>): void
  /** How many may be under way. */
  readonly concurrency: number
}

export interface RateLimiterOptions {
  /** At most so many are under way. */
  readonly concurrency: number
  /** What the endpoint is known to allow. */
  readonly limit?: RateLimit | undefined
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Milliseconds that are kept beyond a limit's span, as requests do not take equally long to arrive; more after each that was turned away, up to `most`. */
const marginMs = { least: 8, most: 1000, step: 25, back: 1 }

/**
 * A pace that is known is kept from the first request on: a span is counted from each request, so that time lost is made up for only as far as the
 * limit lets it. Any other pace is found: each 429 holds all for as long as is asked, and makes it half as many at a time; each good answer a little more again.
 */
export function createRateLimiter({ concurrency: maxConcurrency, limit, sleep }: RateLimiterOptions): RateLimiter {
  const departures: number[] = []
  let extraMs = marginMs.least
  let lanes = maxConcurrency
  let holdUntil = 0

  /** The earliest time for the next one, as `performance.now()` tells it. */
  function nextSlot(): number {
    if (!limit) return holdUntil
    const span = limit.seconds * 1000
    const counted = departures[departures.length - limit.max]
    // Evenly, or nearly so: many at one moment would take unequally long.
    const even = (departures.at(-1) ?? Number.NEGATIVE_INFINITY) + (span / limit.max) * 0.75
    return Math.max(holdUntil, even, counted === undefined ? 0 : counted + span + extraMs)
  }

  function recordDeparture(): void {
    if (!limit) return
    departures.push(performance.now())
    if (departures.length > limit.max) departures.shift()
  }

  return {
    get concurrency() {
      return Math.max(1, Math.floor(lanes))
    },
    acquire(signal) {
      if (nextSlot() <= performance.now()) {
        recordDeparture()
        return undefined
      }
      return (async () => {
        for (let wait = nextSlot() - performance.now(); wait > 0; wait = nextSlot() - performance.now())
          await sleep(Math.ceil(wait), signal)
        recordDeparture()
      })()
    },
    onThrottled(waitMs) {
      if (limit) extraMs = Math.min(marginMs.most, extraMs + marginMs.step)
      else {
        holdUntil = Math.max(holdUntil, performance.now() + waitMs)
        lanes = Math.max(1, lanes / 2)
      }
    },
    onResponse(headers) {
      const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
      const reset = Number(headers['retry-after'] ?? Number.NaN)
      if (remaining === 0 && reset > 0) holdUntil = Math.max(holdUntil, performance.now() + reset * 1000)
      extraMs = Math.max(marginMs.least, extraMs - marginMs.back)
      lanes = Math.min(maxConcurrency, lanes + 1 / lanes)
    },
  }
}
