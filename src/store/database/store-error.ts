/** Why the database refused, in words that hold for every dialect. */
export type StoreErrorReason =
  | 'full'
  | 'read_only'
  | 'corrupt'
  | 'busy'
  | 'unopenable'
  | 'newer'
  | 'unreachable'
  | 'other'

/** The database cannot do what was asked, and nothing of it was kept. The message names the database and the way out. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason

  constructor(reason: StoreErrorReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreError'
    this.reason = reason
  }
}

/** SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID; PostgreSQL's unique_violation. */
const uniqueCodes: readonly unknown[] = [2067, 1555, 2579, '23505']

/**
 * Whether a query failed because a row with such a key is there already.
 * On PostgreSQL the transaction is lost by then: prefer `on conflict do nothing` where the body goes on.
 */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && uniqueCodes.includes(error.code)
