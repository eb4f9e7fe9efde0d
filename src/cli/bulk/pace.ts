import type { RateLimit } from '../../contract/endpoint.ts'

/** Says when the next request may leave. */
export interface Pace {
  /** Waits for the next turn; undefined when it is now. Rejects when the signal is aborted. */
  turn(signal: AbortSignal): Promise<void> | undefined
  /** A request was turned away and waits this long (ms) before it is tried again. */
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

/** Milliseconds that are kept beyond a limit's span, as requests do not take equally long to arrive; more after each that was turned away, up to `most`. */
const margin = { least: 8, most: 1000, step: 25, back: 1 }

/**
 * A pace that is known is kept from the first request on: a span is counted from each request, so that time lost is made up for only as far as the
 * limit lets it. Any other pace is found: each 429 holds all for as long as is asked, and makes it half as many at a time; each good answer a little more again.
 */
export function createPace({ lanes: most, limit, sleep }: PaceOptions): Pace {
  const left: number[] = []
  let over = margin.least
  let lanes = most
  let holdUntil = 0

  /** The earliest time for the next one, as `performance.now()` tells it. */
  function next(): number {
    if (!limit) return holdUntil
    const span = limit.seconds * 1000
    const counted = left[left.length - limit.max]
    // Evenly, or nearly so: many at one moment would take unequally long.
    const even = (left.at(-1) ?? Number.NEGATIVE_INFINITY) + (span / limit.max) * 0.75
    return Math.max(holdUntil, even, counted === undefined ? 0 : counted + span + over)
  }

  function leave(): void {
    if (!limit) return
    left.push(performance.now())
    if (left.length > limit.max) left.shift()
  }

  return {
    get lanes() {
      return Math.max(1, Math.floor(lanes))
    },
    turn(signal) {
      if (next() <= performance.now()) {
        leave()
        return undefined
      }
      return (async () => {
        for (let wait = next() - performance.now(); wait > 0; wait = next() - performance.now()) await sleep(Math.ceil(wait), signal)
        leave()
      })()
    },
    held(waitMs) {
      if (limit) over = Math.min(margin.most, over + margin.step)
      else {
        holdUntil = Math.max(holdUntil, performance.now() + waitMs)
        lanes = Math.max(1, lanes / 2)
      }
    },
    heard(headers) {
      const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
      const reset = Number(headers['retry-after'] ?? Number.NaN)
      if (remaining === 0 && reset > 0) holdUntil = Math.max(holdUntil, performance.now() + reset * 1000)
      over = Math.max(margin.least, over - margin.back)
      lanes = Math.min(most, lanes + 1 / lanes)
    },
  }
}
