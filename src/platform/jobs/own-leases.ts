import type { Connection } from '../store/database/connection.ts'
import { StoreError } from '../store/database/store-error.ts'
import { type JobRow, listLeases, releaseStaleLeases } from '../store/runtime/scheduled-jobs.ts'

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

  /** Runs the work of a request on jobs of a kind that it has leased. */
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
   * while the second read is not due.
   */
  async releaseStale({ connection, owner, wall }: StaleLeaseDeps): Promise<void> {
    if (!this.#isSuspected || (this.#unheld && wall() - this.#unheld.at < readIntervalMs)) return
    const rows = (await listLeases(connection.read, owner)).filter((row) => !this.#isHeld(row))
    const earlier = this.#unheld?.rows
    const stale = rows.filter(({ id, attempts, lease_until }) => {
      const row = earlier?.get(id)
      return row?.attempts === attempts && row.lease_until === lease_until
    })
    if (stale.length > 0) await connection.write('rows', (query) => releaseStaleLeases(query, stale, owner))
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
