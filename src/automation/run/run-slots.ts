import { FairQueue } from '../../node/fair-queue.ts'

/** Limits of the runs of a process. */
export interface SlotLimits {
  /** Maximum number of runs that work at the same time. */
  readonly working: number
  /** Maximum number of runs of one account that have started, those that wait for an answer included. */
  readonly startedOfAccount: number
}

/**
 * Limits how many runs a process executes at a time, fairly to accounts: the accounts take turns. A run has no slot while
 * it waits for an answer from outside or for its code, so that a slow receiver holds up only its own account.
 */
export class RunSlots {
  readonly #limits: SlotLimits
  /** Runs that have not started. Its number of running jobs is that of the started runs. */
  readonly #starting = new FairQueue<() => void>()
  /** Started runs that have to continue. */
  readonly #continuing = new FairQueue<() => void>()
  readonly #waiting = new Map<number, number>()
  #free: number
  /** Whether a run that continues is next; otherwise one that starts. */
  #continuesNext = true

  constructor(limits: SlotLimits) {
    this.#limits = limits
    this.#free = limits.working
  }

  /** Resolves when a run of the account may start. */
  async start(account: number): Promise<void> {
    if (this.tryStart(account)) return
    this.#waiting.set(account, this.waitingOf(account) + 1)
    await new Promise<void>((resolve) => {
      this.#starting.add(account, resolve)
      this.#assign()
    })
    const left = this.waitingOf(account) - 1
    if (left === 0) this.#waiting.delete(account)
    else this.#waiting.set(account, left)
  }

  /** Starts a run of the account if it need not wait. Returns whether it did. */
  tryStart(account: number): boolean {
    if (this.#free === 0 || this.#starting.runningOf(account) >= this.#limits.startedOfAccount) return false
    // With a free slot, only runs of accounts that have too many are waiting.
    if (this.waitingOf(account) > 0) return false
    this.#free--
    this.#starting.begin(account)
    return true
  }

  /** Returns how many runs of the account have not started because of the limits. */
  waitingOf(account: number): number {
    return this.#waiting.get(account) ?? 0
  }

  /** Runs what needs no slot, and resolves when the run has one again. */
  async withoutSlot<T>(account: number, work: () => Promise<T>): Promise<T> {
    this.#release()
    try {
      return await work()
    } finally {
      if (this.#free > 0) this.#free--
      else await new Promise<void>((resolve) => this.#continuing.add(account, resolve))
    }
  }

  /** Ends a started run. */
  end(account: number): void {
    this.#starting.end(account, 0)
    this.#release()
  }

  #release(): void {
    this.#free++
    this.#assign()
  }

  /** Gives free slots to waiting runs. */
  #assign(): void {
    while (this.#free > 0) {
      const next = this.#continuesNext
        ? (this.#takeContinuing() ?? this.#takeStarting())
        : (this.#takeStarting() ?? this.#takeContinuing())
      if (!next) return
      this.#continuesNext = !this.#continuesNext
      this.#free--
      next()
    }
  }

  #takeStarting(): (() => void) | undefined {
    return this.#starting.take((started) => started < this.#limits.startedOfAccount)
  }

  #takeContinuing(): (() => void) | undefined {
    return this.#continuing.take()
  }
}
