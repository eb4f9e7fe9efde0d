import type { RateLimiter } from './rate-limiter.ts'
import type { Row } from './rows/read-rows.ts'

export type RowDecision = 'yes' | 'no' | 'enough'

export interface WorkerPoolOptions {
  readonly rows: AsyncIterable<readonly Row[]>
  /** Whether there is anything to do for a row, or for it and all that follow; does at once what takes no request. */
  readonly decide: (row: Row) => RowDecision | Promise<RowDecision>
  /** Does it. Must not fail for what is the row's own matter: whatever it throws ends the whole. */
  readonly work: (row: Row) => Promise<void>
  /** Told before rows from one place to another leave. */
  readonly onBatchStart: (from: number, to: number) => void
  /** So many rows are begun with one line of the ledger. */
  readonly batchSize: number
  readonly rateLimiter: RateLimiter
  /** Whether rows take their turn here; others do so themselves. */
  readonly isRateLimited: boolean
  /** Aborted when no further row may be begun; those under way are waited for. */
  readonly signal: AbortSignal
  /** Waits for output that has not been taken yet. */
  readonly drained: () => Promise<void> | undefined
}

/** Works on rows, many at a time and in their order, until there are no more or nobody wants more. @throws what `work` threw first, once all have ended */
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
