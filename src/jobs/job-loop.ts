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

/** Does one piece of due work. It removes or moves its own row in the transaction of what it does; throwing puts it off. */
export type JobHandler = (row: JobRow) => Promise<void>

/** Does several pieces together that follow one another and are of its kind; each as a worker does. */
export interface BatchJobHandler {
  readonly handleBatch: (rows: readonly JobRow[]) => Promise<void>
}

export interface JobLoop {
  /** Does all that is due now, earliest first, one at a time, and waits for what was only begun; stops after `budgetMs` of wall time. Returns what was done. */
  drain(budgetMs?: number): Promise<readonly JobRow[]>
  /** Runs `body` while nothing else in this process drains; `drain` is then its own. */
  runExclusively<T>(body: (drain: JobLoop['drain']) => Promise<T>): Promise<T>
  /** Keeps draining until stopped; `stop` waits for the piece under way. */
  start(): { stop(): Promise<void> }
}

export interface JobLoopDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** `host:pid:nonce` of this process. A lease whose owner is dead is void at once. */
  readonly owner: string
  readonly isAlive: (owner: string) => boolean
  readonly wall: () => number
  readonly handlers: () => Promise<Readonly<Record<string, JobHandler | BatchJobHandler>>>
  /** Waits, at most for as long, for what workers only begin and go on with beside others. */
  readonly settle?: (budgetMs: number) => Promise<void>
  readonly log: (text: string) => void
}

const leaseMs = 30_000
/** How many rows are looked at together. */
const pageSize = 50

/** Schedules work in the caller's transaction. A leased row is in the caller's own hands until the lease ends or its process dies. */
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

/** Takes work off the list, in the caller's transaction. */
export const unscheduleJob = deleteJob

/** Takes work off the list that nobody has begun. */
export const unscheduleUnstarted = deleteUnstartedJob

/** Says why work of one kind failed, and puts it off: the longer the more often it did. */
export async function postponeJobs(
  { connection, clock, log }: Pick<JobLoopDeps, 'connection' | 'clock' | 'log'>,
  rows: readonly JobRow[],
  error: unknown,
): Promise<void> {
  log(`${rows[0]?.kind} ${rows.map((row) => row.subject).join(', ')}: ${(error as Error).message}`)
  const now = await clock.now()
  await connection.write(async (query) => {
    for (const row of rows)
      await postponeJob(query, row.id, now + Math.min(30 * second * 2 ** Math.min(row.attempts, 10), 60 * minute))
  })
}

export function createJobLoop(deps: JobLoopDeps): JobLoop {
  const { connection, clock, owner, wall } = deps
  const isFree = (row: JobRow): boolean =>
    row.lease_until <= wall() || row.lease_owner === null || !deps.isAlive(row.lease_owner)

  /** The earliest free piece of work, with those right behind it where they are done together; nothing when all are somebody's. */
  async function claim(): Promise<readonly JobRow[]> {
    const now = await clock.now()
    let last: JobRow | undefined
    do {
      const page = await listDueJobs(connection.read, now, pageSize, { owner, wall: wall() }, last)
      const free = page.filter(isFree)
      for (let at = 0; at < free.length; ) {
        const group = await batchAt(free, at)
        const leased = await connection.write(async (query) => {
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

  /** How long to rest, in milliseconds: till the next work, but not longer than a dead process's leases may go unseen. */
  async function idleDelayMs(): Promise<number> {
    const now = await clock.now()
    return Math.max(
      20,
      Math.min(1000, (((await nextJobAt(connection.read, now)) ?? Number.POSITIVE_INFINITY) - now) / 1000),
    )
  }

  /** What was begun may make more due when it ends. */
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
