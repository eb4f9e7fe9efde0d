import { realTime } from '../../../node/real-time.ts'

/** Relative difference, at most, between the speed of the clock of this machine and that of the database. */
const maxDrift = 0.0005

/**
 * The time of the database, so that servers whose clocks differ agree on leases, due times and limits. It is computed
 * from the monotonic clock of this process and from the times in answers of the database. Times are in milliseconds.
 */
export class DatabaseTime {
  /** The difference between both clocks is between these values. */
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #sampledAt = 0

  /** Takes the time of an answer into account. `sentAt` and `receivedAt` are values of `realTime.monotonicMs()`. */
  onAnswer(databaseMs: number, sentAt: number, receivedAt: number): void {
    const drift = (receivedAt - this.#sampledAt) * maxDrift
    const [low, high] = [databaseMs - receivedAt, databaseMs - sentAt]
    const [nextLow, nextHigh] = [Math.max(low, this.#low - drift), Math.min(high, this.#high + drift)]
    // After a failover, another machine has another time.
    const isConsistent = nextLow <= nextHigh
    this.#low = isConsistent ? nextLow : low
    this.#high = isConsistent ? nextHigh : high
    this.#sampledAt = receivedAt
  }

  /** Returns the time of the database; that of this machine before the first answer. */
  now(): number {
    if (this.#sampledAt === 0) return realTime.now()
    return Math.round(realTime.monotonicMs() + (this.#low + this.#high) / 2)
  }
}
