import type { RateLimit } from '../../../contract/endpoint/endpoint.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Row } from './rows/read-rows.ts'

/** What happens to a row: processed, not processed, or not processed and the end of the run. */
export type RowDecision = 'yes' | 'no' | 'enough'

interface WorkerPoolOptions {
  readonly rows: AsyncIterable<readonly Row[]>
  /** Decides whether to process a row; `enough` ends the run. Rows that need no request are handled here. */
  readonly decide: (row: Row) => RowDecision | Promise<RowDecision>
  /** Processes rows. It must not throw for errors of a row, because any throw ends the whole run. */
  readonly work: (rows: readonly Row[]) => Promise<void>
  /** Called before rows in a range are started. It stores that they may be sent: after a crash, a row without that is sent again. */
  readonly onBatchStart: (from: number, to: number) => void
  /** Number of rows that are recorded as started with one progress line. */
  readonly batchSize: number
  /** Returns how many rows are processed together, and how many such groups at the same time. */
  readonly groups: () => { readonly size: number; readonly concurrency: number }
  readonly rateLimiter: RateLimiter
  /** Whether the pool waits for the rate limiter; otherwise `work` does so. */
  readonly isRateLimited: boolean
  /** Aborted when no further row may be started. Rows in flight are awaited. */
  readonly signal: AbortSignal
  /** Waits for pending output. */
  readonly drained: () => Promise<void> | undefined
}

/**
 * Processes rows concurrently and starts them in order, until there are none left or the run is stopped. @throws the
 * first error of `work`, after all rows in flight have ended
 */
export async function runWorkerPool({
  rows,
  decide,
  work,
  onBatchStart,
  batchSize,
  groups,
  rateLimiter,
  isRateLimited,
  signal,
  drained,
}: WorkerPoolOptions): Promise<void> {
  const inFlight = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  let startedUpTo = -1
  let wake = (): void => {}
  let isEnough = false
  const isStopped = (): boolean => signal.aborted || failure !== undefined
  const isOver = (): boolean => isEnough || isStopped()

  let group: Row[] = []

  function start(started: readonly Row[]): void {
    const from = Math.max((started[0] as Row).at, startedUpTo + 1)
    const last = (started.at(-1) as Row).at
    if (last > startedUpTo) {
      startedUpTo = Math.max(last, from + batchSize - 1)
      onBatchStart(from, startedUpTo)
    }
    const end = (): void => {
      inFlight.delete(done)
      wake()
    }
    const done = work(started).then(end, (error: unknown) => {
      failure ??= { error }
      end()
    })
    inFlight.add(done)
  }

  /** Starts the rows that were collected, when it is their turn. */
  async function startGroup(): Promise<void> {
    if (group.length === 0) return
    const isBusy = (): boolean => inFlight.size >= Math.min(rateLimiter.concurrency, groups().concurrency)
    while (isBusy() && !isStopped())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    const turn = isRateLimited ? rateLimiter.acquire(signal) : undefined
    if (turn) await turn.catch(() => {})
    const outputDrained = drained()
    if (outputDrained) await outputDrained
    if (isStopped()) return
    const started = group
    group = []
    start(started)
  }

  try {
    for await (const some of rows) {
      for (const row of some) {
        if (isOver()) break
        const pendingDecision = decide(row)
        const decision = typeof pendingDecision === 'string' ? pendingDecision : await pendingDecision
        if (decision === 'enough') isEnough = true
        if (isOver()) break
        if (decision === 'no') continue
        group.push(row)
        if (group.length >= groups().size) await startGroup()
      }
      if (isOver()) break
    }
    await startGroup()
  } catch (error) {
    failure ??= { error }
  }
  await Promise.all(inFlight)
  if (failure) throw failure.error
}

/** Decides when the next request may be sent. */
interface RateLimiter {
  /**
   * Waits until the next request may be sent; returns undefined if it may be sent now. Rejects if the signal is
   * aborted.
   */
  acquire(signal: AbortSignal): Promise<void> | undefined
  /** Records that a request was throttled and is retried after `waitMs`. */
  onThrottled(waitMs: number): void
  /** Reads the remaining quota from the response headers. */
  onResponse(headers: Readonly<Record<string, string>>): void
  /** Maximum number of requests in flight. */
  readonly concurrency: number
}

interface RateLimiterOptions {
  /** Maximum number of requests in flight. */
  readonly concurrency: number
  /** Known limit of the endpoint. */
  readonly limit?: RateLimit | undefined
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Milliseconds added to the span of a limit, because requests take different times to arrive. Each throttled request
 * adds `step`, up to `most`; each response subtracts `back`.
 */
const marginMs = { min: 8, max: 1000, step: 25, back: 1 }

/**
 * Creates the rate limiter of a run.
 *
 * With a known limit, requests follow it from the first one on. The span is counted from each request, so lost time is
 * recovered only as far as the limit allows. Without one, each 429 pauses all requests for the requested time and
 * halves the concurrency; each response raises it a little.
 */
export function createRateLimiter({ concurrency: maxConcurrency, limit, sleep }: RateLimiterOptions): RateLimiter {
  const departures: number[] = []
  let extraMs = marginMs.min
  let lanes = maxConcurrency
  let holdUntil = 0

  /** Returns the earliest time of the next request, on the scale of `realTime.monotonicMs()`. */
  function nextSlot(): number {
    if (!limit) return holdUntil
    const span = limit.seconds * 1000
    const counted = departures[departures.length - limit.max]
    // Spreads requests almost evenly, because many simultaneous requests would take different times to arrive.
    const even = (departures.at(-1) ?? Number.NEGATIVE_INFINITY) + (span / limit.max) * 0.75
    return Math.max(holdUntil, even, counted === undefined ? 0 : counted + span + extraMs)
  }

  function recordDeparture(): void {
    if (!limit) return
    departures.push(realTime.monotonicMs())
    if (departures.length > limit.max) departures.shift()
  }

  return {
    get concurrency() {
      return Math.max(1, Math.floor(lanes))
    },
    acquire(signal) {
      if (nextSlot() <= realTime.monotonicMs()) {
        recordDeparture()
        return undefined
      }
      return (async () => {
        for (let wait = nextSlot() - realTime.monotonicMs(); wait > 0; wait = nextSlot() - realTime.monotonicMs())
          await sleep(Math.ceil(wait), signal)
        recordDeparture()
      })()
    },
    onThrottled(waitMs) {
      if (limit) extraMs = Math.min(marginMs.max, extraMs + marginMs.step)
      else {
        holdUntil = Math.max(holdUntil, realTime.monotonicMs() + waitMs)
        lanes = Math.max(1, lanes / 2)
      }
    },
    onResponse(headers) {
      const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
      const reset = Number(headers['retry-after'] ?? Number.NaN)
      if (remaining === 0 && reset > 0) holdUntil = Math.max(holdUntil, realTime.monotonicMs() + reset * 1000)
      extraMs = Math.max(marginMs.min, extraMs - marginMs.back)
      lanes = Math.min(maxConcurrency, lanes + 1 / lanes)
    },
  }
}
