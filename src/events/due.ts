import type { Connection, Query } from '../store/connection.ts'
import { type DueRow, deleteDue, deleteUntriedDue, insertDue, leaseDue, listDue, nextDue, postponeDue } from '../store/due.ts'
import { type Clock, type Micros, minute, second } from './clock.ts'

/** Does one piece of due work. It removes or moves its own row in the transaction of what it does; throwing puts it off. */
export type Worker = (row: DueRow) => Promise<void>

/** Does several pieces together that follow one another and are of its kind; each as a worker does. */
export interface GroupWorker {
  readonly many: (rows: readonly DueRow[]) => Promise<void>
}

export interface DueLoop {
  /** Does all that is due now, earliest first, one at a time, and waits for what was only begun; stops after `budgetMs` of wall time. Returns what was done. */
  drain(budgetMs?: number): Promise<readonly DueRow[]>
  /** Runs `body` while nothing else in this process drains; `drain` is then its own. */
  alone<T>(body: (drain: DueLoop['drain']) => Promise<T>): Promise<T>
  /** Keeps draining until stopped; `stop` waits for the piece under way. */
  start(): { stop(): Promise<void> }
}

export interface DueDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** `host:pid:nonce` of this process. A lease whose owner is dead is void at once. */
  readonly owner: string
  readonly isAlive: (owner: string) => boolean
  readonly wall: () => number
  readonly workers: () => Promise<Readonly<Record<string, Worker | GroupWorker>>>
  /** Waits, at most for as long, for what workers only begin and go on with beside others. */
  readonly settle?: (budgetMs: number) => Promise<void>
  readonly log: (text: string) => void
}

const leaseMs = 30_000
/** How many rows are looked at together. */
const pageSize = 50

/** Schedules work in the caller's transaction. A leased row is in the caller's own hands until the lease ends or its process dies. */
export async function schedule(
  query: Query,
  work: { account: number; kind: string; subject: string; at: Micros; lease?: { owner: string; wall: number } },
): Promise<void> {
  await insertDue(query, {
    account_id: work.account,
    kind: work.kind,
    subject: work.subject,
    due_at: work.at,
    attempts: 0,
    lease_owner: work.lease?.owner ?? null,
    lease_until: work.lease ? work.lease.wall + leaseMs : 0,
  })
}

/** Takes work off the list, in the caller's transaction. */
export const unschedule = deleteDue

/** Takes work off the list that nobody has begun. */
export const unscheduleUntried = deleteUntriedDue

/** Says why work of one kind failed, and puts it off: the longer the more often it did. */
export async function postpone(
  { connection, clock, log }: Pick<DueDeps, 'connection' | 'clock' | 'log'>,
  rows: readonly DueRow[],
  why: unknown,
): Promise<void> {
  log(`${rows[0]?.kind} ${rows.map((row) => row.subject).join(', ')}: ${(why as Error).message}`)
  const now = await clock.now()
  await connection.write(async (query) => {
    for (const row of rows) await postponeDue(query, row.id, now + Math.min(30 * second * 2 ** Math.min(row.attempts, 10), 60 * minute))
  })
}

export function createDueLoop(deps: DueDeps): DueLoop {
  const { connection, clock, owner, wall } = deps
  const isFree = (row: DueRow): boolean => row.lease_until <= wall() || row.lease_owner === null || !deps.isAlive(row.lease_owner)

  /** The earliest free piece of work, with those right behind it where they are done together; nothing when all are somebody's. */
  async function claim(): Promise<readonly DueRow[]> {
    const now = await clock.now()
    let last: DueRow | undefined
    do {
      const page = await listDue(connection.read, now, pageSize, { owner, wall: wall() }, last)
      const free = page.filter(isFree)
      for (let at = 0; at < free.length; ) {
        const group = await groupAt(free, at)
        const leased = await connection.write(async (query) => {
          const mine: DueRow[] = []
          for (const row of group) if (await leaseDue(query, row, owner, wall() + leaseMs)) mine.push(row)
          return mine
        })
        if (leased.length > 0) return leased
        at += group.length
      }
      last = page.length === pageSize ? page.at(-1) : undefined
    } while (last)
    return []
  }

  async function groupAt(rows: readonly DueRow[], at: number): Promise<readonly DueRow[]> {
    const { kind } = rows[at] as DueRow
    const worker = (await deps.workers())[kind]
    if (worker === undefined || typeof worker === 'function') return rows.slice(at, at + 1)
    const end = rows.findIndex((row, n) => n > at && row.kind !== kind)
    return rows.slice(at, end < 0 ? undefined : end)
  }

  async function work(rows: readonly DueRow[]): Promise<void> {
    const [first] = rows as readonly [DueRow, ...DueRow[]]
    const worker = (await deps.workers())[first.kind]
    try {
      if (!worker) throw new Error(`No worker for "${first.kind}".`)
      await (typeof worker === 'function' ? worker(first) : worker.many(rows))
    } catch (error) {
      await postpone(deps, rows, error)
    }
  }

  let turn: Promise<unknown> = Promise.resolve()
  function alone<T>(body: (drain: DueLoop['drain']) => Promise<T>): Promise<T> {
    const mine = turn.then(() => body(drainWholly))
    turn = mine.catch(() => undefined)
    return mine
  }
  const drain = (budgetMs?: number): Promise<readonly DueRow[]> => alone((own) => own(budgetMs))

  /** How long to rest, in milliseconds: till the next work, but not longer than a dead process's leases may go unseen. */
  async function rest(): Promise<number> {
    const now = await clock.now()
    return Math.max(20, Math.min(1000, (((await nextDue(connection.read, now)) ?? Number.POSITIVE_INFINITY) - now) / 1000))
  }

  /** What was begun may make more due when it ends. */
  async function drainWholly(budgetMs = Number.POSITIVE_INFINITY): Promise<readonly DueRow[]> {
    const end = wall() + budgetMs
    const done: DueRow[] = []
    for (let turn = 0; ; turn++) {
      const some = await drainNow(end - wall())
      done.push(...some)
      if ((some.length === 0 && turn > 0) || wall() >= end || !deps.settle) return done
      await deps.settle(end - wall())
    }
  }

  async function drainNow(budgetMs = Number.POSITIVE_INFINITY): Promise<readonly DueRow[]> {
    const end = wall() + budgetMs
    const done: DueRow[] = []
    while (wall() < end) {
      const rows = await claim()
      if (rows.length === 0) break
      await work(rows)
      done.push(...rows)
    }
    return done
  }

  return {
    drain,
    alone,
    start() {
      let stopped = false
      let wake: () => void = () => {}
      const running = (async () => {
        while (!stopped) {
          await alone(() => drainNow()).catch((error: Error) => deps.log(error.message))
          const wait = await rest().catch(() => 1000)
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
