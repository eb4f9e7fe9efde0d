/** Attempts a receiver gets at once from a process: more only fill its door. */
const atOnce = 32

/** Who is at which receiver, and who waits for a place there. Those who wait are known by their ids alone, so that very many may. */
export class Places {
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Map<string, number[]>()
  readonly #held = new Set<number>()

  holds(id: number): boolean {
    return this.#held.has(id)
  }

  /** Takes a place; false where there is none, and the delivery waits for one. */
  enter(url: string, id: number): boolean {
    const taken = this.#taken.get(url) ?? 0
    if (taken < atOnce) {
      this.#taken.set(url, taken + 1)
      return true
    }
    const queue = this.#waiting.get(url) ?? []
    queue.push(id)
    this.#waiting.set(url, queue)
    this.#held.add(id)
    return false
  }

  /** Gives a place back; answers who has it now. */
  leave(url: string): number | undefined {
    const queue = this.#waiting.get(url)
    const next = queue?.shift()
    if (queue?.length === 0) this.#waiting.delete(url)
    if (next !== undefined) {
      this.#held.delete(next)
      return next
    }
    const left = (this.#taken.get(url) ?? 1) - 1
    if (left > 0) this.#taken.set(url, left)
    else this.#taken.delete(url)
    return undefined
  }

  /** Forgets who waits. */
  clear(): void {
    this.#waiting.clear()
    this.#held.clear()
  }
}
