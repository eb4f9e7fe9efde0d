import { isError } from '../../../node/is-error.ts'
/**
 * Reason of a database error, independent of the dialect. Monitoring of operators has these words: `/readyz` answers
 * `database_<reason>`, and the metric of database failures has them as a label. They are added, not renamed.
 */
export type StoreErrorReason =
  | 'full'
  | 'read_only'
  | 'corrupt'
  | 'busy'
  | 'unopenable'
  | 'replaced'
  | 'newer'
  | 'unreachable'
  | 'node_unreachable'
  | 'unknown_outcome'
  | 'other'

/** What callers of a server may read: neither a host nor a path nor a cause. */
export const publicMessages: Readonly<Record<StoreErrorReason, string>> = {
  full: 'The disk of the database is full. Nothing was saved.',
  read_only: 'The database is read-only. Nothing was saved.',
  corrupt: 'The database is damaged.',
  busy: 'The database is too busy. Nothing was saved. Try again.',
  unopenable: 'The database cannot be opened.',
  replaced: 'The database file was deleted or replaced. Nothing was saved. Restart the server.',
  newer: 'The database was created by a newer version of Parley.',
  unreachable: 'The database cannot be reached. Nothing was saved. Try again.',
  node_unreachable: 'The part of the database that this needs cannot be reached. Nothing was saved. Try again.',
  unknown_outcome:
    'The connection to the database was lost while a change was being saved, and it is not known whether it was saved. Check before you repeat it.',
  other: 'The database failed.',
}

/**
 * Error of the database. The message names the database and a solution. Nothing of the operation was saved, except
 * perhaps with the reason `unknown_outcome`. The command line, which does not load the store, recognizes it by its name.
 */
export class StoreError extends Error {
  readonly reason: StoreErrorReason

  constructor(reason: StoreErrorReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreError'
    this.reason = reason
  }
}

/**
 * Reasons that pass without a change of the work. A job that failed with one is repeated after a second instead of half a minute (job-loop.ts), and a run after a
 * second instead of the length of its lease (runner.ts): a reason that lasts would keep servers busy.
 */
const outages: readonly StoreErrorReason[] = ['busy', 'unreachable', 'node_unreachable', 'unknown_outcome']

/** Returns whether an error says that the database was away, and nothing about what was done. */
export const isOutage = (error: unknown): boolean => error instanceof StoreError && outages.includes(error.reason)

/** Returns whether only the accounts on a node of a sharded database are away. */
export const isNodeAway = (error: unknown): boolean =>
  error instanceof StoreError && error.reason === 'node_unreachable'

/** Returns what is read over all accounts; undefined while a node of a sharded database does not answer. */
export const ifNodesAnswer = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (isNodeAway(error)) return undefined
    throw error
  })

/** SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID; PostgreSQL's unique_violation. */
const uniqueCodes: readonly unknown[] = [2067, 1555, 2579, '23505']

/**
 * Returns whether a query failed because a row with the same key exists.
 * On PostgreSQL this aborts the transaction: use `on conflict do nothing` if the transaction must continue.
 */
export const isUniqueViolation = (error: unknown): boolean =>
  isError(error) && 'code' in error && uniqueCodes.includes(error.code)
