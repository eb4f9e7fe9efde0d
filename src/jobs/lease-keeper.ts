import type { Connection } from '../store/database/connection.ts'
import { renewLeases } from '../store/runtime/scheduled-jobs.ts'

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

/** Renews the leases of jobs for as long as this process works on them. */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps
  readonly #held = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps
  }

  /** Holds leases while `work` runs. */
  async during<T>(ids: readonly number[], work: () => Promise<T>): Promise<T> {
    for (const id of ids) this.#held.add(id)
    this.#timer ??= setInterval(() => void this.#renew(), renewalMs).unref()
    try {
      return await work()
    } finally {
      for (const id of ids) this.#held.delete(id)
      if (this.#held.size === 0) {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
    }
  }

  async #renew(): Promise<void> {
    const { connection, owner, wall, log } = this.#deps
    const ids = [...this.#held]
    await connection
      .write('rows', (query) => renewLeases(query, ids, owner, wall() + leaseMs))
      .catch((error: Error) => log(`leases: ${error.message}`))
  }
}
