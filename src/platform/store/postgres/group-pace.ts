/** Milliseconds that accounts wait for a connection at least, and after which a transaction may count as slow. */
const leastMs = { wait: 2, slow: 10 }
/** Milliseconds that count at most as usual: the wait for accounts that share a COMMIT has an end on the slowest disk, too. */
const maxUsualMs = 50
/** How many transactions of the database the average is about. */
const averaged = 8

/**
 * How long transactions of accounts usually take, from which follows what is long. On a slow disk, or while processes wait
 * for the processor, everything takes longer: then more accounts must share a COMMIT, and not fewer.
 */
export class GroupPace {
  #usualMs = 0

  /** Takes the duration of a transaction of the database into account, from `begin` to the answer to its COMMIT. */
  note(ms: number): void {
    // A single one says little: it may have waited for a lock.
    const counted = Math.min(ms, 2 * this.#usualMs + 1, maxUsualMs)
    this.#usualMs += (counted - this.#usualMs) / averaged
  }

  /** Milliseconds that accounts wait for one of the connections that run transactions, before another one is used. */
  get waitMs(): number {
    return Math.max(leastMs.wait, this.#usualMs / 2)
  }

  /** Milliseconds after which a transaction is slow, so that it should not delay those of other accounts. */
  get slowMs(): number {
    return Math.max(leastMs.slow, this.#usualMs * 2)
  }
}
