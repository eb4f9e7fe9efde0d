// Leases of jobs: renewed while this process works on a job, released when it does not. A process that has
// lost a lease may still run the job, and cannot save (`fencedConnection`).

import { hostname } from 'node:os'
import { realTime } from '../../node/real-time.ts'
import { accountQuery } from '../store/database/account-query.ts'
import type { Connection } from '../store/database/connection.ts'
import { ifNodesAnswer, StoreError } from '../store/database/store-error.ts'
import { writeRows } from '../store/database/write-rows.ts'
import {
  type JobRow,
  listLeases,
  lockAttempts,
  releaseStaleLeases,
  renewLeases,
} from '../store/runtime/scheduled-jobs.ts'
import { nodeTimeoutMs } from '../store/runtime/server-nodes.ts'

/** Duration of a lease, and interval of its renewal, in milliseconds. */
export const leaseMs = 30_000
const renewalMs = 10_000

/** Dependencies of a lease keeper. */
export interface LeaseKeeperDeps {
  readonly connection: Connection
  readonly owner: string
  readonly wall: () => number
  readonly log: (text: string) => void
}

/** Renews the leases of jobs from their claim until this process has finished them. */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps
  /** When each job was known to be leased, in milliseconds. */
  readonly #held = new Map<JobRow, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps
  }

  /** Holds the leases of jobs that were just claimed, until `release`. The rows are as they were before the claim. */
  hold(rows: readonly JobRow[]): void {
    if (rows.length === 0) return
    const now = this.#deps.wall()
    for (const row of rows) this.#held.set(row, now)
    this.#timer ??= realTime
      .setInterval(
        () =>
          void this.#renew([...this.#held.keys()]).catch((error: Error) => this.#deps.log(`leases: ${error.message}`)),
        renewalMs,
      )
      .unref()
  }

  release(rows: readonly JobRow[]): void {
    for (const row of rows) this.#held.delete(row)
    if (this.#held.size > 0) return
    realTime.clearInterval(this.#timer)
    this.#timer = undefined
  }

  /**
   * Returns those of the held jobs that no other process has taken over. Reads the leases only when they were not
   * confirmed for so long that a server without heartbeats loses them.
   */
  async filterLeased(rows: readonly JobRow[]): Promise<readonly JobRow[]> {
    if (rows.some((row) => this.#age(row) >= nodeTimeoutMs)) await this.#renew(rows)
    return rows.filter((row) => this.#held.has(row))
  }

  /** Returns whether this process works on a job. */
  holds({ kind, subject }: Pick<JobRow, 'kind' | 'subject'>): boolean {
    for (const row of this.#held.keys()) if (row.subject === subject && row.kind === kind) return true
    return false
  }

  /**
   * Renews leases that may have ended, such as after a pause of this process, so that it does not claim its own jobs. Those on a node
   * of the database that is away cannot be claimed either.
   */
  async renewExpired(): Promise<void> {
    if ([...this.#held.keys()].some((row) => this.#age(row) >= leaseMs))
      await ifNodesAnswer(this.#renew([...this.#held.keys()]))
  }

  #age(row: JobRow): number {
    return this.#deps.wall() - (this.#held.get(row) ?? Number.NEGATIVE_INFINITY)
  }

  async #renew(rows: readonly JobRow[]): Promise<void> {
    const { connection, owner, wall } = this.#deps
    const now = wall()
    await writeRows(
      connection,
      rows,
      async (query, own) => ({ own, leased: new Set(await renewLeases(query, own, owner, now + leaseMs)) }),
      ({ own, leased }) => {
        for (const row of own) {
          if (!leased.has(row)) this.#held.delete(row)
          else if (this.#held.has(row)) this.#held.set(row, now)
        }
      },
    )
  }
}

type Job = Pick<JobRow, 'kind' | 'subject'>

/** Milliseconds between two reads of the leases. A job that was just leased is held by the second one. */
const readIntervalMs = 1000

/**
 * The leases of a process, and which of them it works on. After a failure of the database it may have leases of jobs that
 * it does not work on: the answer to a claim was lost, or a failed job could not be postponed. They are released as soon as
 * the database is back, because no other server takes over the jobs of a living one.
 */
export class OwnLeases {
  readonly #holders = new Map<string, (job: Job) => boolean>()
  /** Number of requests that work on a job, by its kind and subject. */
  readonly #requests = new Map<string, number>()
  /** Leases that nothing held at the last read, by the id of the job, and the time of that read. */
  #unheld: { readonly rows: ReadonlyMap<number, JobRow>; readonly at: number } | undefined
  #isSuspected = false

  /** Sets what returns whether a part of this process works on a job. It replaces an earlier one of the same name. */
  setHolder(name: string, isHeld: (job: Job) => boolean): void {
    this.#holders.set(name, isHeld)
  }

  /** Runs the work of a request on jobs of a kind that it has leased. Until it ends, `releaseStale` does not release them. */
  async during<T>(kind: string, subjects: readonly number[], work: () => Promise<T>): Promise<T> {
    const count = (change: 1 | -1): void => {
      for (const subject of subjects) {
        const key = `${kind} ${subject}`
        const requests = (this.#requests.get(key) ?? 0) + change
        if (requests > 0) this.#requests.set(key, requests)
        else this.#requests.delete(key)
      }
    }
    count(1)
    try {
      return await work()
    } finally {
      count(-1)
    }
  }

  /** Returns a connection after whose failures `releaseStale` looks for leases. */
  watch(connection: Connection): Connection {
    return {
      ...connection,
      write: (scope, body) =>
        connection.write(scope, body).catch((error: unknown) => {
          if (error instanceof StoreError) this.#isSuspected = true
          throw error
        }),
    }
  }

  /**
   * After a failure of the database, releases the leases that nothing in this process held at two reads. Does nothing
   * while the second read is not due. A node of the database that is away delays it, and not the search for jobs.
   */
  async releaseStale({ connection, owner, wall }: StaleLeaseDeps): Promise<void> {
    if (!this.#isSuspected || (this.#unheld && wall() - this.#unheld.at < readIntervalMs)) return
    const leases = await ifNodesAnswer(listLeases(connection.read, owner))
    if (!leases) {
      this.#unheld = { rows: new Map(), at: wall() }
      return
    }
    const rows = leases.filter((row) => !this.#isHeld(row))
    const earlier = this.#unheld?.rows
    const stale = rows.filter(({ id, attempts, lease_until }) => {
      const row = earlier?.get(id)
      return row?.attempts === attempts && row.lease_until === lease_until
    })
    await writeRows(connection, stale, (query, rows) => releaseStaleLeases(query, rows, owner))
    this.#isSuspected = rows.length > stale.length
    this.#unheld = this.#isSuspected ? { rows: new Map(rows.map((row) => [row.id, row])), at: wall() } : undefined
  }

  #isHeld(job: Job): boolean {
    return this.#requests.has(`${job.kind} ${job.subject}`) || [...this.#holders.values()].some((isHeld) => isHeld(job))
  }
}

interface StaleLeaseDeps {
  readonly connection: Connection
  readonly owner: string
  readonly wall: () => number
}

/**
 * Returns a name for a process as the owner of leases: its machine, its number, and letters that differ each time. Rows
 * have it, and `createOwnerCheck` of any version reads machine and number from it: the form never changes.
 */
export const createLeaseOwner = (pid: number): string =>
  `${hostname()}:${pid}:${Math.random().toString(36).slice(2, 10)}`

/** Returns a check whether the owner of a lease may still run: false only for a process of this machine that has ended. */
export const createOwnerCheck =
  (own: number, isAlive: (pid: number) => boolean) =>
  (owner: string): boolean => {
    const [host, pid] = owner.split(':')
    return host !== hostname() || Number(pid) === own || isAlive(Number(pid))
  }

/** Error when another process has taken over a job, or ended it. Its transactions are not saved any more. */
export class LeaseLostError extends Error {
  constructor({ kind, subject }: Pick<JobRow, 'kind' | 'subject'>) {
    super(`The lease of ${kind} ${subject} was lost: another process has taken over the job or ended it.`)
    this.name = 'LeaseLostError'
  }
}

/**
 * Returns a connection for the handler of a leased job. Its transactions first check that no other server has leased the
 * job since: a server that was stopped for a while must not save the results of work that another one has repeated.
 * Every lease increments the attempts of the job. A database file needs no check, because its processes see who is
 * alive.
 */
export function fencedConnection(connection: Connection, row: JobRow): Connection {
  if (connection.dialect === 'sqlite') return connection
  /** Whether a transaction of this job has deleted its row. */
  let isDone = false
  return {
    ...connection,
    async write(scope, body) {
      const written = await connection.write(scope, async (query) => {
        const attempts = await lockAttempts(accountQuery(query, row.account_id), row.id)
        if (attempts === undefined ? !isDone : attempts > row.attempts + 1) throw new LeaseLostError(row)
        const value = await body(query)
        return {
          value,
          isDone: isDone || (await lockAttempts(accountQuery(query, row.account_id), row.id)) === undefined,
        }
      })
      isDone = written.isDone
      return written.value
    },
  }
}
