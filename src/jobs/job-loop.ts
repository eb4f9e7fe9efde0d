import type { Connection, Query } from '../store/database/connection.ts'
import {
  deleteJob,
  deleteUnstartedJob,
  insertJob,
  type JobRow,
  leaseJob,
  listDueJobs,
  nextJobAt,
  postponeJob,
} from '../store/runtime/scheduled-jobs.ts'
import { type Clock, type Micros, minute, second } from './clock.ts'

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
  /** Runs `body` while nothing else in this process drains. `body` drains with the function it receives. */
  runExclusively<T>(body: (drain: JobLoop['drain']) => Promise<T>): Promise<T>
  /** Drains continuously until stopped; `stop` waits for the job in progress. */
  start(): { stop(): Promise<void> }
}

/** Dependencies of the job loop. */
export interface JobLoopDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** `host:pid:nonce` of this process. The lease of a dead owner is void immediately. */
  readonly owner: string
  readonly isAlive: (owner: string) => boolean
  readonly wall: () => number
  readonly handlers: () => Promise<Readonly<Record<string, JobHandler | BatchJobHandler>>>
  /** Waits for background work that job handlers started, at most for `budgetMs` milliseconds. */
  readonly settle?: (budgetMs: number) => Promise<void>
  readonly log: (text: string) => void
}

const leaseMs = 30_000
/** Number of jobs read at once. */
const pageSize = 50

/**
 * Schedules a job in the caller's transaction. With a lease, the caller runs the job itself until the lease ends or its
 * process dies.
 */
export async function scheduleJob(
  query: Query,
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

/** Logs why jobs of one kind failed, and postpones them with exponential backoff. */
export async function postponeJobs(
  { connection, clock, log }: Pick<JobLoopDeps, 'connection' | 'clock' | 'log'>,
  rows: readonly JobRow[],
  error: unknown,
): Promise<void> {
  log(`${rows[0]?.kind} ${rows.map((row) => row.subject).join(', ')}: ${(error as Error).message}`)
  const now = await clock.now()
  await connection.write('rows', async (query) => {
    for (const row of rows)
      await postponeJob(query, row.id, now + Math.min(30 * second * 2 ** Math.min(row.attempts, 10), 60 * minute))
  })
}

/** Creates the job loop of a process. */
export function createJobLoop(deps: JobLoopDeps): JobLoop {
  const { connection, clock, owner, wall } = deps
  const isFree = (row: JobRow): boolean =>
    row.lease_until <= wall() || row.lease_owner === null || !deps.isAlive(row.lease_owner)

  /**
   * Leases the earliest free job, together with the following ones of its kind if they are handled in batches. Returns
   * an empty list when there is none.
   */
  async function claim(): Promise<readonly JobRow[]> {
    const now = await clock.now()
    let last: JobRow | undefined
    do {
      const page = await listDueJobs(connection.read, now, pageSize, { owner, wall: wall() }, last)
      const free = page.filter(isFree)
      for (let at = 0; at < free.length; ) {
        const group = await batchAt(free, at)
        const leased = await connection.write('rows', async (query) => {
          const leasedRows: JobRow[] = []
          for (const row of group) if (await leaseJob(query, row, owner, wall() + leaseMs)) leasedRows.push(row)
          return leasedRows
        })
        if (leased.length > 0) return leased
        at += group.length
      }
      last = page.length === pageSize ? page.at(-1) : undefined
    } while (last)
    return []
  }

  async function batchAt(rows: readonly JobRow[], at: number): Promise<readonly JobRow[]> {
    const { kind } = rows[at] as JobRow
    const handler = (await deps.handlers())[kind]
    if (handler === undefined || typeof handler === 'function') return rows.slice(at, at + 1)
    const deadline = rows.findIndex((row, n) => n > at && row.kind !== kind)
    return rows.slice(at, deadline < 0 ? undefined : deadline)
  }

  async function runJobs(rows: readonly JobRow[]): Promise<void> {
    const [first] = rows as readonly [JobRow, ...JobRow[]]
    const handler = (await deps.handlers())[first.kind]
    try {
      if (!handler) throw new Error(`No handler for jobs of kind "${first.kind}".`)
      await (typeof handler === 'function' ? handler(first) : handler.handleBatch(rows))
    } catch (error) {
      await postponeJobs(deps, rows, error)
    }
  }

  let queue: Promise<unknown> = Promise.resolve()
  function runExclusively<T>(body: (drain: JobLoop['drain']) => Promise<T>): Promise<T> {
    const run = queue.then(() => body(drainUntilIdle))
    queue = run.catch(() => undefined)
    return run
  }
  const drain = (budgetMs?: number): Promise<readonly JobRow[]> => runExclusively((ownDrain) => ownDrain(budgetMs))

  /** Returns the milliseconds until the next job, limited so that the leases of dead processes are noticed. */
  async function idleDelayMs(): Promise<number> {
    const now = await clock.now()
    return Math.max(
      20,
      Math.min(1000, (((await nextJobAt(connection.read, now)) ?? Number.POSITIVE_INFINITY) - now) / 1000),
    )
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

  async function drainDue(budgetMs = Number.POSITIVE_INFINITY): Promise<readonly JobRow[]> {
    const deadline = wall() + budgetMs
    const done: JobRow[] = []
    while (wall() < deadline) {
      const rows = await claim()
      if (rows.length === 0) break
      await runJobs(rows)
      done.push(...rows)
    }
    return done
  }

  return {
    drain,
    runExclusively,
    start() {
      let stopped = false
      let wake: () => void = () => {}
      const running = (async () => {
        while (!stopped) {
          await runExclusively(() => drainDue()).catch((error: Error) => deps.log(error.message))
          const wait = await idleDelayMs().catch(() => 1000)
          if (stopped) break
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, wait)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
          })
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
