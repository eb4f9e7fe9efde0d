import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Queries over our tables. */
export type Query = Kysely<Tables>

/** An open database. Repositories are built on its queries; services open its transactions. */
export interface Connection {
  readonly dialect: Dialect
  /** For reading only: on SQLite a separate `query_only` connection, so that it never sees what is not committed. */
  readonly read: Query
  /**
   * Runs `body` in a write transaction; its promise resolves once the commit is durable, and rejects with nothing kept.
   * `body` must await nothing but queries: on SQLite transactions run one at a time and consecutive ones share a COMMIT.
   * It may be run again, after a conflict on PostgreSQL or a full disk on SQLite, so it leaves nothing behind but rows and its answer.
   */
  write<T>(body: (query: Query) => Promise<T>): Promise<T>
  /**
   * What `read` found, which nobody may change: now, or earlier when nobody, in this process or another, has written anything since.
   * Where that cannot be told for certain it is always read again.
   */
  cachedRead<T>(key: string, read: () => Promise<T>): Promise<T>
  /** Told of each request the moment it is read from the socket `from`, so that those which come in together need to look only once whether anybody has written. */
  onRequest(from: object): void
  /** Copies of the whole, and the way back to one; only where the database is a file. */
  readonly snapshots?: Snapshots
  close(): Promise<void>
}

export interface Snapshots {
  /** Copies what is committed, and a text about it, into a file of its own: durably, and wholly or not at all. Others write meanwhile. */
  save(to: string, text: string): Promise<void>
  /** What a copy says of itself; undefined when it is none, or damaged. */
  readMetadata(from: string): SnapshotMetadata | undefined
  /**
   * Puts the rows of a copy of this schema in the place of all there are, and `mark` into `meta`, in one transaction: whoever is killed in it changed
   * nothing, and other processes see all of it or nothing. Due work that somebody had begun is anybody's.
   */
  restore(from: string, mark: readonly [key: string, value: string]): Promise<void>
}

export interface SnapshotMetadata {
  readonly text: string
  /** Version of its schema. */
  readonly schema: number
}

/** One step of the schema. Never edited once released; a later one changes what an earlier one made. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly up: readonly Statement[]
}

/** SQL; `{{pk}}`, `{{bigint}}`, `{{json}}`, `{{ascii}}` (text in the order of its bytes) stand for the dialect's own words. What differs by more than words is given for each dialect, or for one of them. */
export type Statement = string | Readonly<Partial<Record<Dialect, string>>>
