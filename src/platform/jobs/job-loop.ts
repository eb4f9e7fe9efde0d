// Runs due jobs. A job is leased before it runs, its handler deletes or reschedules its row in the transaction of its
// effects, and jobs of one account run one after the other. So each takes effect once, also after a crash.

import { type Micros, minute, second } from '../../contract/values/micros.ts'
import { realTime } from '../../node/real-time.ts'
import { withTrace } from '../../node/trace.ts'
import { accountQuery } from '../store/database/account-query.ts'
import type { AccountQuery, Connection } from '../store/database/connection.ts'
import { isOutage } from '../store/database/store-error.ts'
import { writeRows } from '../store/database/write-rows.ts'
import { deleteJob, deleteUnstartedJob, insertJob, type JobRow, postponeJob } from '../store/runtime/scheduled-jobs.ts'
import { createJobClaims, type JobClaimsDeps } from './job-claims.ts'
import { fencedConnection, LeaseKeeper, LeaseLostError, leaseMs, OwnLeases } from './leases.ts'

/** Milliseconds between two looks for jobs, at least. */
const minDelayMs = 20
/** Maximum number of accounts whose jobs run at the same time, and of jobs of one account that wait for their turn. */
const maxLanes = 16
const maxQueued = 20

/**
 * Runs jobs of several accounts at the same time, and those of one account one after the other, in the order of their
 * due times. So one account with many or slow jobs does not delay the others.
 */
class JobLanes {
  readonly #run: (rows: readonly JobRow[]) => Promise<void>
  readonly #isBatched: (kind: string) => Promise<boolean>
  readonly #queues = new Map<number, JobRow[]>()
  #waiters: (() => void)[] = []

  constructor(run: (rows: readonly JobRow[]) => Promise<void>, isBatched: (kind: string) => Promise<boolean>) {
    this.#run = run
    this.#isBatched = isBatched
  }

  get isIdle(): boolean {
    return this.#queues.size === 0
  }

  /** How many jobs may be added, in total and of each account, and the accounts that have enough. */
  get room(): { readonly limit: number; readonly perAccount: number; readonly excludedAccounts: readonly number[] } {
    const lanes = maxLanes - this.#queues.size
    const busy = [...this.#queues].filter(([, queue]) => queue.length > 0).map(([account]) => account)
    return { limit: lanes <= 0 ? 0 : lanes * maxQueued, perAccount: maxQueued, excludedAccounts: busy }
  }

  /** Resolves when a job has ended. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  add(rows: readonly JobRow[]): void {
    for (const row of rows) {
      const queue = this.#queues.get(row.account_id)
      if (queue) queue.push(row)
      else {
        const started = [row]
        this.#queues.set(row.account_id, started)
        // The other jobs of the account are added before the first one starts.
        realTime.queueMicrotask(() => void this.#drain(row.account_id, started))
      }
    }
  }

  async #drain(account: number, queue: JobRow[]): Promise<void> {
    while (queue.length > 0) {
      const { kind } = queue[0] as JobRow
      const next = queue.findIndex((row) => row.kind !== kind)
      const size = (await this.#isBatched(kind)) ? (next < 0 ? queue.length : next) : 1
      await this.#run(queue.splice(0, size))
      this.#notify()
    }
    this.#queues.delete(account)
    this.#notify()
  }

  #notify(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }
}

/**
 * Runs one job. It deletes or reschedules the job's row in the transaction of its effects. An error postpones the job.
 */
export type JobHandler = (row: JobRow) => Promise<void>

/** Runs several consecutive jobs of its kind together. */
export interface BatchJobHandler {
  readonly handleBatch: (rows: readonly JobRow[]) => Promise<void>
}

/** Runs the jobs of a platform when they are due. */
export interface JobLoop {
  /**
   * Runs all jobs that are due, earliest first, one at a time, and waits for background work. Stops after `budgetMs`
   * milliseconds of wall time. Returns the jobs that were run.
   */
  drain(budgetMs?: number): Promise<readonly JobRow[]>
  /**
   * Runs `body` while nothing else in this process drains. `body` drains with the function it receives. The clock is advanced, and
   * snapshots are restored, in it.
   */
  runExclusively<T>(body: (drain: JobLoop['drain']) => Promise<T>): Promise<T>
  /**
   * Runs jobs when they are due until stopped, those of several accounts at the same time; `stop` waits for the jobs in
   * progress.
   */
  start(): { stop(): Promise<void> }
}

/** Dependencies of the job loop. */
export interface JobLoopDeps extends Omit<JobClaimsDeps, 'isBatched' | 'onScheduled'> {
  /** The leases of this process, which also watch its connection (default: those of the loop). */
  readonly leases?: OwnLeases
  /** Returns the handlers, by kind, with a connection for their transactions. */
  readonly handlers: (connection: Connection) => Promise<Readonly<Record<string, JobHandler | BatchJobHandler>>>
  /** Waits for background work that job handlers started, at most for `budgetMs` milliseconds. */
  readonly settle?: (budgetMs: number) => Promise<void>
  /** Counts a job that was run, in the metric `parley_jobs_total`: operators have rules with these labels and outcomes. */
  readonly countEvent?:
    | ((event: 'job', labels: { readonly subject: string; readonly outcome: string }) => void)
    | undefined
}

/**
 * Schedules a job in the caller's transaction. With a lease, the caller runs the job itself until the lease ends or its
 * process dies. Rows have `kind` and `subject`, which the handler of any version must find: a kind is never renamed.
 */
export async function scheduleJob(
  query: AccountQuery,
  job: { account: number; kind: string; subject: string; at: Micros; lease?: { owner: string; wall: number } },
): Promise<void> {
  await insertJob(query, {
    account_id: job.account,
    kind: job.kind,
    subject: job.subject,
    due_at: job.at,
    attempts: 0,
    lease_owner: job.lease?.owner ?? null,
    lease_until: job.lease ? job.lease.wall + leaseMs : 0,
  })
}

/** Removes a job, in the caller's transaction. */
export const unscheduleJob = deleteJob

/** Removes a job that was not started. */
export const unscheduleUnstarted = deleteUnstartedJob

/** Logs why jobs of one kind failed, and postpones them with exponential backoff: only briefly after an outage of the database. */
export async function postponeJobs(
  { connection, clock, log }: Pick<JobLoopDeps, 'connection' | 'clock' | 'log'>,
  rows: readonly JobRow[],
  error: unknown,
): Promise<void> {
  log(`${rows[0]?.kind} ${rows.map((row) => row.subject).join(', ')}: ${(error as Error).message}`)
  const now = await clock.now()
  const first = isOutage(error) ? second : 30 * second
  await writeRows(connection, rows, async (query, own) => {
    for (const row of own)
      await postponeJob(
        accountQuery(query, row.account_id),
        row,
        now + Math.min(first * 2 ** Math.min(row.attempts, 10), 60 * minute),
      )
  })
}

/** Creates the job loop of a process. */
export function createJobLoop(deps: JobLoopDeps): JobLoop {
  const { connection, clock, wall, leases = new OwnLeases() } = deps
  const isBatched = async (kind: string): Promise<boolean> => {
    const handler = (await deps.handlers(connection))[kind]
    return handler !== undefined && typeof handler !== 'function'
  }
  /** Ends the present pause. */
  let wake: () => void = () => {}
  /** Whether a process has scheduled jobs, as far as this one knows, since the last claim, which was at this time. */
  let hasNews = false
  let claimedAt = Number.NEGATIVE_INFINITY
  const claims = createJobClaims({
    ...deps,
    isBatched,
    onScheduled() {
      hasNews = true
      wake()
    },
  })
  const keeper = new LeaseKeeper(deps)
  leases.setHolder('loop', (job) => keeper.holds(job))
  const lanes = new JobLanes((rows) => runJobs(rows), isBatched)

  /** Runs claimed jobs of one kind, except those that another process took over while they waited for their turn. */
  async function runJobs(claimed: readonly JobRow[]): Promise<void> {
    let rows = claimed
    try {
      rows = await keeper.filterLeased(claimed)
      const lost = claimed.filter((row) => !rows.includes(row))
      countJobs(lost, 'taken_over')
      for (const row of lost) deps.log(new LeaseLostError(row).message)
      const [first] = rows
      if (!first) return
      const handler = (await deps.handlers(fencedConnection(connection, first)))[first.kind]
      if (!handler) throw new Error(`No handler for jobs of kind "${first.kind}".`)
      if (typeof handler === 'function') await withTrace(first.trace, () => handler(first))
      else await runBatch(handler, rows)
      countJobs(rows, 'done')
    } catch (error) {
      countJobs(rows, error instanceof LeaseLostError ? 'taken_over' : 'failed')
      if (error instanceof LeaseLostError) deps.log(error.message)
      else await postponeJobs(deps, rows, error).catch((failure: Error) => deps.log(failure.message))
    } finally {
      keeper.release(claimed)
    }
  }

  function countJobs(rows: readonly JobRow[], outcome: 'done' | 'failed' | 'taken_over'): void {
    for (const { kind } of rows) deps.countEvent?.('job', { subject: kind, outcome })
  }

  let queue: Promise<unknown> = Promise.resolve()
  /** Number of callers that wait until nothing drains. */
  let waiting = 0
  function runExclusively<T>(body: (drain: JobLoop['drain']) => Promise<T>): Promise<T> {
    waiting++
    const run = queue.then(() => {
      waiting--
      return body(drainUntilIdle)
    })
    queue = run.catch(() => undefined)
    return run
  }
  const drain = (budgetMs?: number): Promise<readonly JobRow[]> => runExclusively((ownDrain) => ownDrain(budgetMs))

  /** Returns the milliseconds until the next job, limited so that the leases of dead processes are noticed. */
  async function idleDelayMs(): Promise<number> {
    const isNews = hasNews
    hasNews = false
    const delay = await findDelayMs(isNews).catch(() => 1000)
    if (hasNews || delay <= 0) return Math.max(0, claimedAt + minDelayMs - realTime.monotonicMs())
    return Math.max(minDelayMs, Math.min(1000, delay))
  }

  /** Returns the milliseconds until the next job that is not due yet; after news, until the first free one. */
  async function findDelayMs(isNews: boolean): Promise<number> {
    const now = await clock.now()
    const at = isNews ? await claims.firstFreeAt() : await claims.nextAt(now)
    return ((at ?? Number.POSITIVE_INFINITY) - now) / 1000
  }

  /** Returns a pause that ends when the next job is due, or when jobs are scheduled. */
  async function idlePause(options?: Parameters<typeof timeout>[1]): Promise<ReturnType<typeof timeout>> {
    const pause = timeout(await idleDelayMs(), options)
    wake = pause.clear
    if (hasNews) pause.clear()
    return pause
  }

  /** Background work may make further jobs due when it ends. */
  async function drainUntilIdle(budgetMs = Number.POSITIVE_INFINITY): Promise<readonly JobRow[]> {
    const deadline = wall() + budgetMs
    const done: JobRow[] = []
    for (let turn = 0; ; turn++) {
      const batch = await drainDue(deadline - wall())
      done.push(...batch)
      if ((batch.length === 0 && turn > 0) || wall() >= deadline || !deps.settle) return done
      await deps.settle(deadline - wall())
    }
  }

  async function drainDue(budgetMs: number): Promise<readonly JobRow[]> {
    const deadline = wall() + budgetMs
    const done: JobRow[] = []
    while (wall() < deadline) {
      const rows = await claims.claimNext()
      if (rows.length === 0) break
      keeper.hold(rows)
      await runJobs(rows)
      done.push(...rows)
    }
    return done
  }

  /** Leases jobs for the lanes. While jobs are running, an error only delays the next attempt. */
  async function claimOrNone(): Promise<readonly JobRow[]> {
    try {
      await keeper.renewExpired()
      await leases.releaseStale(deps)
      // Before the claim, so that a job that is scheduled during it is not missed.
      hasNews = false
      claimedAt = realTime.monotonicMs()
      const rows = await claims.claimFairly(lanes.room)
      keeper.hold(rows)
      return rows
    } catch (error) {
      if (lanes.isIdle) throw error
      deps.log((error as Error).message)
      return []
    }
  }

  /** Runs due jobs in lanes until there are none, or until another caller waits. */
  async function runLanes(isStopped: () => boolean): Promise<void> {
    for (;;) {
      const { room } = lanes
      const mayClaim = !isStopped() && waiting === 0
      const rows = mayClaim && room.limit > 0 ? await claimOrNone() : []
      lanes.add(rows)
      if (lanes.isIdle) return
      if (rows.length > 0) continue
      const pause = mayClaim ? await idlePause() : timeout(1000)
      await Promise.race([lanes.changed(), pause.ended])
      pause.clear()
    }
  }

  return {
    drain,
    runExclusively,
    start() {
      let stopped = false
      connection.exchangeJobHints?.()
      const running = (async () => {
        while (!stopped) {
          await runExclusively(() => runLanes(() => stopped)).catch((error: Error) => deps.log(error.message))
          if (stopped) break
          // Without a server there is nothing to keep the process running for.
          const pause = await idlePause({ isUnref: true })
          if (stopped) break
          await pause.ended
        }
      })()
      return {
        async stop() {
          stopped = true
          wake()
          await running
        },
      }
    },
  }
}

/** Runs the jobs of each trace together. */
async function runBatch(handler: BatchJobHandler, rows: readonly JobRow[]): Promise<void> {
  const traces = [...new Set(rows.map((it) => it.trace))]
  await Promise.all(
    traces.map((trace) =>
      withTrace(trace, () => handler.handleBatch(traces.length === 1 ? rows : rows.filter((it) => it.trace === trace))),
    ),
  )
}

/** Returns a pause that ends after some milliseconds, or when it is cleared. */
function timeout(ms: number, { isUnref = false } = {}): { readonly ended: Promise<void>; readonly clear: () => void } {
  let clear = (): void => {}
  const ended = new Promise<void>((resolve) => {
    const timer = realTime.setTimeout(resolve, ms)
    if (isUnref) timer.unref()
    clear = () => {
      realTime.clearTimeout(timer)
      resolve()
    }
  })
  return { ended, clear: () => clear() }
}
