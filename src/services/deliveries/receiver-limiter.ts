/** Attempts a receiver gets at once from a process: more only fill its door. */
const maxPerReceiver = 32

/** Who is at which receiver, and who waits for a place there. Those who wait are known by their ids alone, so that very many may. */
export class ReceiverLimiter {
  readonly #active = new Map<string, number>()
  readonly #waiting = new Map<string, number[]>()
  readonly #queued = new Set<number>()

  isQueued(id: number): boolean {
    return this.#queued.has(id)
  }

  /** Takes a place; false where there is none, and the delivery waits for one. */
  acquire(url: string, id: number): boolean {
    const active = this.#active.get(url) ?? 0
    if (active < maxPerReceiver) {
      this.#active.set(url, active + 1)
      return true
    }
    const queue = this.#waiting.get(url) ?? []
    queue.push(id)
    this.#waiting.set(url, queue)
    this.#queued.add(id)
    return false
  }

  /** Gives a place back; answers who has it now. */
  release(url: string): number | undefined {
    const queue = this.#waiting.get(url)
    const next = queue?.shift()
    if (queue?.length === 0) this.#waiting.delete(url)
    if (next !== undefined) {
      this.#queued.delete(next)
      return next
    }
    const remaining = (this.#active.get(url) ?? 1) - 1
    if (remaining > 0) this.#active.set(url, remaining)
    else this.#active.delete(url)
    return undefined
  }

  /** Forgets who waits. */
  clear(): void {
    this.#waiting.clear()
    this.#queued.clear()
  }
}
