/** Maximum concurrent attempts of a process at one receiver. */
const maxPerReceiver = 32

/** Limits concurrent attempts by receiver. Waiting deliveries are held by id only, so that very many can wait. */
export class ReceiverLimiter {
  readonly #active = new Map<string, number>()
  readonly #waiting = new Map<string, number[]>()
  readonly #queued = new Set<number>()

  isQueued(id: number): boolean {
    return this.#queued.has(id)
  }

  /** Returns the queued deliveries. */
  queuedIds(): Iterable<number> {
    return this.#queued
  }

  /** Takes a place at the receiver. Returns false when none is free; the delivery is queued then. */
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

  /** Releases a place. Returns the id of the queued delivery that takes it. */
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

  /** Clears all queues. */
  clear(): void {
    this.#waiting.clear()
    this.#queued.clear()
  }
}
