import { FairSlots } from '../../node/fair-slots.ts'
import { realTime } from '../../node/real-time.ts'
import { withTimeLimit } from '../../node/time-limit.ts'
import { type JobRow, releaseJob } from '../store/runtime/scheduled-jobs.ts'
import type { Clock } from './clock.ts'
import { postponeJobs } from './job-loop.ts'
import { LeaseKeeper, type LeaseKeeperDeps, LeaseLostError, type OwnLeases } from './leases.ts'

type BackgroundJob = (signal: AbortSignal) => Promise<void>

/** Maximum number of jobs that run at the same time, in all and of one account. The others wait; accounts take turns. */
const concurrency = { total: 16, perAccount: 4 }
/** Maximum duration of a job in milliseconds. It is shorter than `leaseMs` of leases.ts, so that a job ends before its lease. */
const jobTimeoutMs = 25_000

/** The abort reason of jobs that are interrupted by a shutdown. knowledge-service.ts distinguishes it from the end of the time. */
export class ShutdownAbort extends Error {}

interface BackgroundQueueDeps extends LeaseKeeperDeps {
  readonly clock: Clock
  readonly leases: OwnLeases
}

/** Runs jobs that wait on external services without blocking other due jobs. There is one for each process. */
export class BackgroundQueue {
  readonly #deps: BackgroundQueueDeps
  readonly #running = new Map<number, Promise<void>>()
  readonly #slots = new FairSlots(concurrency)
  readonly #shutdown = new AbortController()
  readonly #leases: LeaseKeeper

  constructor(deps: BackgroundQueueDeps) {
    this.#deps = deps
    this.#leases = new LeaseKeeper(deps)
    deps.leases.setHolder('background queue', (job) => this.#leases.holds(job))
  }

  /** Starts a job. As with other jobs, the job removes its row itself, and a failure postpones it. */
  start(row: JobRow, job: BackgroundJob): void {
    if (this.#running.has(row.id) || this.#shutdown.signal.aborted) return
    this.#leases.hold([row])
    const running = this.#runJob(row, job).finally(() => {
      this.#leases.release([row])
      this.#running.delete(row.id)
    })
    this.#running.set(row.id, running)
  }

  async #runJob(row: JobRow, job: BackgroundJob): Promise<void> {
    const { signal } = this.#shutdown
    const run = async (): Promise<void> => {
      if ((await this.#leases.filterLeased([row])).length === 0) throw new LeaseLostError(row)
      await withTimeLimit(jobTimeoutMs, [signal], job)
    }
    try {
      await this.#slots.run(row.account_id, run, signal)
    } catch (error) {
      const { connection, log } = this.#deps
      // A shutdown releases the job, so that another process continues it without a counted attempt.
      const cleanup = signal.aborted
        ? connection.write({ rows: row.account_id }, (query) => releaseJob(query, row))
        : error instanceof LeaseLostError
          ? Promise.resolve(log(error.message))
          : postponeJobs(this.#deps, [row], error)
      await cleanup.catch((failure: Error) => log(failure.message))
    }
  }

  /** Waits for the jobs in progress, at most for `budgetMs` milliseconds. */
  async settle(budgetMs: number): Promise<void> {
    if (this.#running.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const timeout = Number.isFinite(budgetMs)
      ? [
          new Promise<void>((resolve) => {
            timer = realTime.setTimeout(resolve, Math.max(0, budgetMs))
          }),
        ]
      : []
    await Promise.race([Promise.all(this.#running.values()), ...timeout])
    realTime.clearTimeout(timer)
  }

  /** Aborts the jobs in progress. */
  async close(): Promise<void> {
    this.#shutdown.abort(new ShutdownAbort('The platform is shutting down.'))
    await Promise.all(this.#running.values())
  }
}

/** Starts a job in the background queue if there is one, else runs it immediately. */
export async function runInBackground(
  { backgroundQueue }: { readonly backgroundQueue?: (() => Promise<BackgroundQueue>) | undefined },
  row: JobRow,
  job: BackgroundJob,
): Promise<void> {
  if (backgroundQueue) (await backgroundQueue()).start(row, job)
  else await withTimeLimit(jobTimeoutMs, [], job)
}
