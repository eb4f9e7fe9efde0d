import type { PostgresRow, PostgresStatement } from './statement-batch.ts'

/**
 * Milliseconds, by the time of the database, for which transactions of accounts rely on a clock that was read before: one
 * that begins later reads it again, and so does one that got its lock after `max`.
 */
const reliance = { begin: 50, max: 100 }

/** The clock as a transaction has read it. */
export interface ReadClock {
  readonly row: PostgresRow
  /** Time of the database at which the clock was read under a lock that excludes changes of it. */
  readonly lockedAtMs: number
}

/**
 * The clock that was read last. Transactions rely on it only while it follows the wall time: a change of such a clock
 * waits until no server relies on it any more (`awaitReliance`), and later changes need not wait.
 */
export class KnownClock {
  readonly #onChanged: () => void
  #row: PostgresRow | undefined
  #lockedAtMs: number | undefined

  /** `onChanged` is called when a transaction of this process has changed the clock. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged
  }

  /** The row that was read last. A transaction that uses it has to compare it with the one under its lock. */
  get row(): PostgresRow | undefined {
    return this.#row
  }

  /** Returns the clock on which a transaction may rely that begins at a time of the database; undefined if it has to read it. */
  recent(databaseMs: number): ReadClock | undefined {
    const [row, lockedAtMs] = [this.#row, this.#lockedAtMs]
    if (row === undefined || lockedAtMs === undefined || !followsWallTime(row)) return undefined
    const clock = { row, lockedAtMs }
    return isWithin(clock, databaseMs, reliance.begin) ? clock : undefined
  }

  /** Takes a row that was read. `lockedAtMs` is undefined if the clock could change while it was read. */
  onRead(row: PostgresRow, lockedAtMs: number | undefined): void {
    if (lockedAtMs === undefined && this.#row !== undefined && isSameRow(this.#row, row)) return
    this.#row = row
    this.#lockedAtMs = lockedAtMs
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

const isWithin = ({ lockedAtMs }: ReadClock, databaseMs: number, ms: number): boolean =>
  databaseMs >= lockedAtMs && databaseMs - lockedAtMs <= ms

/** Returns whether the clock could not have changed until a time of the database at which a transaction had its lock. */
export const isUnchanged = (clock: ReadClock, databaseMs: number): boolean => isWithin(clock, databaseMs, reliance.max)

/**
 * Waits until no server relies on a clock that follows the wall time. It is sent before the clock is changed, in a
 * transaction of `everything`: none of accounts begins in the meantime.
 */
export const awaitReliance: PostgresStatement = {
  sql: 'select pg_sleep($1) from clock where id = 1 and frozen_at is null and "offset" = 0',
  parameters: [reliance.max / 1000],
}
