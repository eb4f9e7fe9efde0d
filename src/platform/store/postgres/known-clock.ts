import { realTime } from '../../../node/real-time.ts'
import type { PostgresRow, PostgresStatement } from './statement-batch.ts'

/**
 * Milliseconds for which transactions of accounts rely on a clock that was read before: one that begins later reads it
 * again, and so does one whose lock is answered after `max`. A change waits for longer, because clocks differ in speed.
 */
const reliance = { begin: 50, max: 100, wait: 110 }

/** The clock as a transaction has read it. */
export interface ReadClock {
  readonly row: PostgresRow
  /** When the statement was sent that read it under a lock that excludes changes of it: a value of `realTime.monotonicMs()`. */
  readonly sentAt: number
}

/**
 * The clock that was read last. Transactions rely on it only while it follows the wall time: a change of such a clock
 * waits until no server relies on it any more (`awaitReliance`), and later changes need not wait.
 */
export class KnownClock {
  readonly #onChanged: () => void
  #row: PostgresRow | undefined
  #sentAt: number | undefined

  /** `onChanged` is called when a transaction of this process has changed the clock. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged
  }

  /** The row that was read last. A transaction that uses it has to compare it with the one under its lock. */
  get row(): PostgresRow | undefined {
    return this.#row
  }

  /** Returns the clock on which a transaction may rely that begins now; undefined if it has to read it. */
  recent(): ReadClock | undefined {
    const [row, sentAt] = [this.#row, this.#sentAt]
    if (row === undefined || sentAt === undefined || !followsWallTime(row)) return undefined
    return realTime.monotonicMs() - sentAt <= reliance.begin ? { row, sentAt } : undefined
  }

  /** Takes a row that was read. `sentAt` is undefined if the clock could change while it was read. */
  onRead(row: PostgresRow, sentAt: number | undefined): void {
    if (sentAt === undefined && this.#row !== undefined && isSameRow(this.#row, row)) return
    this.#row = row
    this.#sentAt = sentAt
  }

  /** Call it when a transaction has changed the clock. */
  onChanged(): void {
    this.#row = undefined
    this.#onChanged()
  }
}

const followsWallTime = (row: PostgresRow): boolean => row.frozen_at === null && Number(row.offset) === 0

/** Returns whether two rows have the same values. */
export const isSameRow = (a: PostgresRow, b: PostgresRow): boolean =>
  Object.keys(b).every((name) => a[name] === b[name])

/** Returns whether the clock could not have changed before a lock that has been answered now. */
export const isUnchanged = ({ sentAt }: ReadClock): boolean => realTime.monotonicMs() - sentAt <= reliance.max

/**
 * Waits until no server relies on a clock that follows the wall time. It is sent before the clock is changed, in a
 * transaction of `everything`: none of accounts begins in the meantime.
 */
export const awaitReliance: PostgresStatement = {
  sql: 'select pg_sleep($1) from clock where id = 1 and frozen_at is null and "offset" = 0',
  parameters: [reliance.wait / 1000],
}
