import { realTime } from '../../node/real-time.ts'
import type { Connection } from '../store/database/connection.ts'
import { type JobRow, renewLeases } from '../store/runtime/scheduled-jobs.ts'
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

  /** Renews leases that may have ended, such as after a pause of this process, so that it does not claim its own jobs. */
  async renewExpired(): Promise<void> {
    for (const row of this.#held.keys()) if (this.#age(row) >= leaseMs) return this.#renew([...this.#held.keys()])
  }

  #age(row: JobRow): number {
    return this.#deps.wall() - (this.#held.get(row) ?? Number.NEGATIVE_INFINITY)
  }

  async #renew(rows: readonly JobRow[]): Promise<void> {
    const { connection, owner, wall } = this.#deps
    const now = wall()
    const leased = new Set(await connection.write('rows', (query) => renewLeases(query, rows, owner, now + leaseMs)))
    for (const row of rows) {
      if (!leased.has(row)) this.#held.delete(row)
      else if (this.#held.has(row)) this.#held.set(row, now)
    }
  }
}
