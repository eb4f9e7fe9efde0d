import type { Dialect } from '../database/connection.ts'

/** Values of columns, the same on both databases. */
export type Value = string | number | null
export type TransferRow = Readonly<Record<string, Value>>

/** What a transfer must know of a table. */
export interface TableShape {
  readonly name: string
  /** Sorted by name, so that both databases have the same order. */
  readonly columns: readonly string[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
  /** Other tables that its rows refer to. */
  readonly parents: readonly string[]
  /** Column that the database numbers. */
  readonly identity: string | undefined
}

/** Source or target of a transfer: a database in one transaction, in which no other process changes the tables. */
export interface TransferSide {
  readonly dialect: Dialect
  /** The file, or host and name of the database, for messages. */
  readonly location: string
  /** Runs a statement with the parameters `?1`, `?2` and so on. Rejects with StoreError. */
  query(statement: string, parameters?: readonly Value[]): Promise<readonly TransferRow[]>
  /** Returns those of the tables that exist. */
  describeTables(names: readonly string[]): Promise<TableShape[]>
  /** Lets no other process change the tables until the end. */
  lock(tables: readonly TableShape[]): Promise<void>
  insert(table: TableShape, rows: readonly TransferRow[]): Promise<void>
  /** Runs `body` while rows are inserted without running triggers. */
  withoutTriggers<T>(tables: readonly TableShape[], body: () => Promise<T>): Promise<T>
  /** Returns the last number that the database gave to the identity column of a table; 0 if none. */
  readSequence(table: TableShape): Promise<number>
  writeSequence(table: TableShape, last: number): Promise<void>
}

/** Quotes an identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes identifiers, separated by commas. */
export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')
