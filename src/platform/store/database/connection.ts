import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Database engine of a platform. The tables are the same in both. */
export type Dialect = 'sqlite' | 'postgres'

/** Query builder for the tables, of an account or across accounts. */
export type Query = Kysely<Tables> & { readonly account?: number | undefined }

/** Queries of one account: each statement reads and changes only rows of this account. Statements in raw SQL name it. */
export type AccountQuery = Kysely<Tables> & { readonly account: number }

/** Queries across accounts, for what belongs to no account or looks for one. */
export type PlatformQuery = Kysely<Tables> & { readonly account?: undefined }

/**
 * What a transaction holds until it ends, so that no other transaction changes the rows it decides on:
 *
 * - `{ account }`: everything of an account. Transactions of the same account run one after the other.
 * - `{ name }`: a subject that has no account, such as the phone numbers of a simulated carrier.
 * - `{ rows: account }`, `'rows'`: nothing except the rows that its statements change, of an account or of any. No
 *   statement may depend on what an earlier statement read.
 * - `'everything'`: no other transaction except those of rows runs. For rare changes to the whole platform.
 *
 * On SQLite, all transactions run one after the other anyway.
 */
export type WriteScope =
  | { readonly account: number }
  | { readonly name: string }
  | { readonly rows: number }
  | 'rows'
  | 'everything'

/** Queries in a transaction: those of an account if its scope names one. */
export type ScopedQuery<S extends WriteScope = WriteScope> = S extends
  | { readonly account: number }
  | { readonly rows: number }
  ? AccountQuery
  : PlatformQuery

/** A setting outside this program that servers work badly with. */
export interface SettingProblem {
  readonly problem: string
  /** What to do, as a sentence or a statement of SQL. */
  readonly fix: string
}

/** Open database. Repositories use its queries; services open its transactions. */
export interface Connection {
  readonly dialect: Dialect
  /** The file, or host, port and name of the database, for messages. */
  readonly location: string
  /** Returns the time of the database server in milliseconds since the epoch. Undefined if the database is a file. */
  readonly wall?: () => number
  /** For reads only. On SQLite it is a separate `query_only` connection, so that it never sees uncommitted data. `accountQuery` makes it that of an account. */
  readonly read: PlatformQuery
  /**
   * Runs `body` in a write transaction that holds `scope`. Resolves once the commit is durable; if it rejects, nothing is
   * saved. `body` must await only queries: transactions of one scope run one at a time, and consecutive ones share a
   * COMMIT. It may run again, after a conflict on PostgreSQL or a full disk on SQLite, so its only effects must be rows
   * and its result.
   */
  write<T, S extends WriteScope>(scope: S, body: (query: ScopedQuery<S>) => Promise<T>): Promise<T>
  /**
   * Returns the result of `read`, which must not be modified. Cached until a process may have written. With `maxAgeMs`,
   * changes by another server may be missed for so long.
   */
  cachedRead<T>(key: string, read: () => Promise<T>, maxAgeMs?: number): Promise<T>
  /**
   * Returns the result of an earlier `cachedRead` without waiting; undefined if there is none, or if a process may have
   * written since. Absent if this cannot be known without waiting.
   */
  cachedResult?<T>(key: string): T | undefined
  /**
   * Checks that the file is still where it was opened, only if the database is a file. @throws StoreError `replaced` if
   * it was deleted or replaced, so that changes would be lost when the process ends
   */
  requireInPlace?(): void
  /** Whether Citus spreads the accounts over shards. Known after the first connection. */
  isSharded?(): boolean
  /**
   * Calls `onChanged` when a transaction of this process, or of another one that notifies it, has scheduled or released
   * jobs of an account, or of any. Only if the database is on a server.
   */
  watchJobs?(onChanged: (account: number | undefined) => void): void
  /** Tells other servers of scheduled jobs from now on, and listens to them, where a session can listen. */
  exchangeJobHints?(): void
  /** Returns what the connection has done and uses, for metrics. */
  statistics?(): ConnectionStatistics
  /** Saves and restores snapshots; only if the database is a file. */
  readonly snapshots?: Snapshots
  close(): Promise<void>
  /** Returns settings in front of the database that servers work badly with, as far as a connection shows them. */
  findSettingProblems?(): Promise<readonly SettingProblem[]>
  /** Returns whether a pooler answers that has no connection to the database; undefined if there is none that says so. */
  isPoolerAlone?(): Promise<boolean | undefined>
}

/** Counters since the connection was opened, and the present use of its pools. */
export interface ConnectionStatistics {
  /** COMMITs, rollbacks, and transactions that ran again. */
  readonly transactions: { readonly committed: number; readonly rolledBack: number; readonly repeated: number }
  /** Only if the database is on a server. */
  readonly pool?: {
    readonly transactions: { readonly used: number; readonly max: number; readonly waiting: number }
    readonly reads: { readonly open: number; readonly max: number; readonly outstanding: number }
  }
}

/** Saves, compares and restores copies of the whole database. */
export interface Snapshots {
  /** Copies the committed data, with a text, to a separate file, durably and atomically. Other writers can continue. */
  save(to: string, text: string): Promise<void>
  /** Compares a snapshot with its checksum. `missing` for one of an earlier version, `wrong` for a damaged one. */
  compareChecksum(from: string): Promise<'same' | 'missing' | 'wrong'>
  /** Copies a snapshot to a file that may be changed. */
  copy(from: string, to: string): void
  /** Returns the metadata of a snapshot; undefined if the file is not a snapshot or is damaged. */
  readMetadata(from: string): SnapshotMetadata | undefined
  /**
   * Replaces all rows with those of a snapshot of the same schema and adds `mark` to `meta`, in one transaction. If the
   * process dies, nothing has changed; other processes see all of it or nothing. Leases of scheduled jobs are cleared.
   */
  restore(from: string, mark: readonly [key: string, value: string]): Promise<void>
  /**
   * Compares tables of two snapshots of this schema; without `to`, of a snapshot with the current data. At most `limit`
   * rows of each kind of difference are returned for a table.
   */
  compare(
    from: string,
    to: string | undefined,
    tables: readonly ComparedTable[],
    limit: number,
  ): Promise<readonly TableDifference[]>
}

/** A table to compare. */
export interface ComparedTable {
  readonly name: string
  /** Columns whose differences do not count. */
  readonly ignored: readonly string[]
}

/** Differences between two contents of a table. */
export interface TableDifference {
  readonly table: string
  /** Columns of the primary key. */
  readonly keys: readonly string[]
  readonly created: number
  readonly changed: number
  readonly deleted: number
  /** Some of the rows: a created one has no `before`, a deleted one no `after`. */
  readonly rows: readonly { readonly before?: StoredRow; readonly after?: StoredRow }[]
}

type StoredRow = Readonly<Record<string, unknown>>

/** What a snapshot file says about itself. */
export interface SnapshotMetadata {
  readonly text: string
  /** Version of its schema. */
  readonly schema: number
}

/** Step of the schema. It is never edited after a release; a later step changes the result of an earlier one. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly up: readonly Statement[]
  /**
   * Only for PostgreSQL: returns the statements that must run before `up`, one at a time, while other servers use the
   * tables. It reads the catalog for what is still missing, so that a process which was killed is continued by the next
   * one. Returns none once the tables are as they should be.
   */
  readonly online?: (query: PlatformQuery) => Promise<readonly OnlineStatement[]>
}

/** Statement that changes the schema while other servers use the tables. */
export interface OnlineStatement {
  readonly sql: string
  /**
   * Whether other transactions wait for its locks: it runs in a short transaction that gives up after a second. Any other
   * statement runs outside a transaction, however long it takes.
   */
  readonly isBlocking: boolean
}

/** SQL with `{{pk}}`, `{{bigint}}`, `{{json}}`, `{{ascii}}` (byte order) as terms of a dialect, or SQL per dialect. */
export type Statement = string | Readonly<Partial<Record<Dialect, string>>>

export type RunStatements = (...statements: readonly string[]) => Promise<void>

/** Names of tables that lie on nodes: with the rows of accounts, and with a copy on each node. */
export interface PlacedTables {
  readonly accounts: readonly string[]
  readonly references: readonly string[]
}

/** Connection whose schema has not been checked yet. */
export interface Database extends Connection {
  /** Runs `body` in a transaction while no other process can run this method on the database. */
  runExclusively<T>(body: (query: PlatformQuery) => Promise<T>): Promise<T>
  /**
   * Calls `body` with a function that runs statements, however long they take: one of them outside a transaction, several
   * together in one. Only if the database is on a server.
   */
  withSession?<T>(body: (run: RunStatements) => Promise<T>): Promise<T>
  /**
   * Spreads tables of accounts that a change of the schema has created over the nodes where the others are, in its
   * transaction. Only if the database is on a server; does nothing if no table is spread.
   */
  placeTables?(query: PlatformQuery, tables?: PlacedTables): Promise<void>
  /** Whether a pooler in transaction mode is in front of the database. Known after the first connection. */
  isPooled?(): boolean
  /** Copies the committed data to a separate file, durably. Only if the database is a file. */
  backup?(to: string): void
}
