import type { RateLimiter } from './rate-limiter.ts'
import type { Row } from './rows/read-rows.ts'

export type RowDecision = 'yes' | 'no' | 'enough'

export interface WorkerPoolOptions {
  readonly rows: AsyncIterable<readonly Row[]>
  /** Decides whether to process a row; `enough` ends the run. Rows that need no request are handled here. */
  readonly decide: (row: Row) => RowDecision | Promise<RowDecision>
  /** Processes a row. It must not throw for errors of the row, because any throw ends the whole run. */
  readonly work: (row: Row) => Promise<void>
  /** Called before rows in a range are started. */
  readonly onBatchStart: (from: number, to: number) => void
  /** Number of rows that are recorded as started with one ledger line. */
  readonly batchSize: number
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
  const isOver = (): boolean => isEnough || signal.aborted || failure !== undefined

  function start(row: Row): void {
    if (row.at > startedUpTo) {
      startedUpTo = row.at + batchSize - 1
      onBatchStart(row.at, startedUpTo)
    }
    const end = (): void => {
      inFlight.delete(done)
      wake()
    }
    const done = work(row).then(end, (error: unknown) => {
      failure ??= { error }
      end()
    })
    inFlight.add(done)
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
        while (inFlight.size >= rateLimiter.concurrency && !isOver())
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        const turn = isRateLimited ? rateLimiter.acquire(signal) : undefined
        if (turn) await turn.catch(() => {})
        const outputDrained = drained()
        if (outputDrained) await outputDrained
        if (isOver()) break
        start(row)
      }
      if (isOver()) break
    }
  } catch (error) {
    failure ??= { error }
  }
  await Promise.all(inFlight)
  if (failure) throw failure.error
}
