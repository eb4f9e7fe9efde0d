/** Limits how many runs a process executes at a time. Waiting runs start in order. */
export class RunSlots {
  readonly #queue: (() => void)[] = []
  #free: number

  constructor(limit: number) {
    this.#free = limit
  }

  /** Resolves when a slot is acquired. */
  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  /** Acquires up to `limit` slots that are free now. Returns how many. */
  acquireFree(limit: number): number {
    const count = Math.min(limit, this.#free)
    this.#free -= count
    return count
  }

  release(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free++
  }
}
