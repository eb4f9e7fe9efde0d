import { realTime } from '../../node/real-time.ts'

interface Reads {
  readonly current: Promise<unknown>
  next: Promise<unknown> | undefined
}

/**
 * Shares a read among callers that ask for the same at the same time. A caller never receives the result of a read that
 * began before its call, so that it sees everything that was committed by then, on any server: callers that come during
 * a read share the next one.
 */
export class CoalescedReads {
  readonly #reads = new Map<string, Reads>()
  /** Results that may be used again for a while. */
  readonly #results = new Map<string, { readonly value: unknown; readonly startedAt: number }>()

  read<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(key)
    if (!known) return this.#start(key, read)
    known.next ??= known.current.then(
      () => this.#start(key, read),
      () => this.#start(key, read),
    )
    return known.next as Promise<T>
  }

  /** Returns a result whose read began at most `maxAgeMs` ago, else reads. */
  async readRecent<T>(key: string, read: () => Promise<T>, maxAgeMs: number): Promise<T> {
    const known = this.#results.get(key)
    if (known && realTime.monotonicMs() - known.startedAt <= maxAgeMs) return known.value as T
    const startedAt = realTime.monotonicMs()
    const value = await this.read(key, read)
    this.#results.set(key, { value, startedAt })
    return value
  }

  /** Forgets results, because this process has changed what they depend on. */
  clear(): void {
    this.#results.clear()
  }

  #start<T>(key: string, read: () => Promise<T>): Promise<T> {
    const current = read()
    const reads: Reads = { current, next: undefined }
    this.#reads.set(key, reads)
    const end = (): void => {
      if (reads.next === undefined) this.#reads.delete(key)
    }
    current.then(end, end)
    return current
  }
}
