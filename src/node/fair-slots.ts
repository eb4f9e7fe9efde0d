import { setMaxListeners } from 'node:events'
import { FairQueue } from './fair-queue.ts'

/** How many slots there are, and how many of them one account may have at the same time. */
interface SlotLimits {
  readonly total: number
  readonly perAccount: number
}

/**
 * Slots of a limited resource. No account may have all of them, so that the next one finds a free slot, and the accounts
 * that wait take turns.
 */
export class FairSlots {
  readonly #limits: SlotLimits
  readonly #waiting = new FairQueue<() => void>()
  #used = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /**
   * Takes a slot for an account, which `release` returns. Waits while all are in use or the account has its share.
   * Rejects with the reason of `signal` if that aborts first.
   */
  async acquire(account: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#used < this.#limits.total && this.#mayRun(this.#waiting.runningOf(account))) {
      this.begin(account)
      return
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal?.reason)
      if (signal) setMaxListeners(0, signal)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(account, () => {
        signal?.removeEventListener('abort', abort)
        if (signal?.aborted) this.release(account)
        else resolve()
      })
    })
  }

  /** Takes a slot for an account at once, also beyond the limits: for work that continues what has one. */
  begin(account: number): void {
    this.#waiting.begin(account)
    this.#used++
  }

  /** Returns a slot. The next account that waits gets it. */
  release(account: number): void {
    this.#waiting.end(account, 0)
    this.#used--
    if (this.#used >= this.#limits.total) return
    const next = this.#waiting.take(this.#mayRun)
    if (!next) return
    this.#used++
    next()
  }

  /** Runs what needs a slot. */
  async run<T>(account: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.acquire(account, signal)
    try {
      return await work()
    } finally {
      this.release(account)
    }
  }

  readonly #mayRun = (running: number): boolean => running < this.#limits.perAccount
}
