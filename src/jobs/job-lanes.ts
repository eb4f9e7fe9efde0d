import { realTime } from '../node/real-time.ts'
import type { JobRow } from '../store/runtime/scheduled-jobs.ts'

/** Maximum number of accounts whose jobs run at the same time, and of jobs of one account that wait for their turn. */
const maxLanes = 16
const maxQueued = 20

/**
 * Runs jobs of several accounts at the same time, and those of one account one after the other, in the order of their
 * due times. So one account with many or slow jobs does not delay the others.
 */
export class JobLanes {
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
