import { isUint8Array } from 'node:util/types'
import { StoreError } from '../database/store-error.ts'
import { libsqlDriver } from './libsql-driver.ts'
import { nodeDriver } from './node-driver.ts'

export type Row = Record<string, unknown>

/** Values that both drivers can bind. Integers are bound as integers, so that SQL calculates as on PostgreSQL. */
export type Bindable = string | bigint | number | null | Uint8Array

export interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean
  all(parameters: readonly Bindable[]): Row[]
  get(parameters: readonly Bindable[]): Row | undefined
  run(parameters: readonly Bindable[]): { readonly changes: number; readonly lastInsertRowid: number }
  /** Yields row by row. The statement must not run again before the end. */
  iterate(parameters: readonly Bindable[]): Generator<Row, void, undefined>
}

/** Synchronous connection. All methods throw SqliteError. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  /** Runs statements one after another and discards their rows. */
  exec(sql: string): void
  close(): void
}

export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'libsql'
  open(file: string): SqliteDatabase
  /** Source and data of a thread that copies `workerData.from` to `workerData.to`. */
  readonly copyThread: { readonly source: string; readonly data: Readonly<Record<string, string>> }
}

/**
 * Returns the SQLite of the runtime if it needs no flag (Node 22.13 and later), otherwise the native module of libsql.
 * Throws StoreError `unopenable` if neither can be loaded.
 */
export function loadSqlite(): SqliteDriver {
  const own = nodeDriver()
  if (own) return own
  try {
    return libsqlDriver()
  } catch (error) {
    const here = `${process.platform}-${process.arch} with Node ${process.versions.node}`
    throw new StoreError(
      'unopenable',
      `No SQLite driver is available for ${here}. Use Node 22.13 or later, which includes one, or reinstall with optional dependencies.`,
      error,
    )
  }
}

/** Converts a value to one that both drivers bind alike. Throws TypeError for a value that a column cannot store. */
export function toBindable(value: unknown): Bindable {
  if (typeof value === 'string') {
    // SQLite would truncate the text there, and PostgreSQL rejects it.
    if (value.includes('\0')) throw new TypeError('A column cannot store text with the character U+0000.')
    return value
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value === null || isUint8Array(value)) return value
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  throw new TypeError(
    `A column cannot store ${typeof value === 'bigint' ? `the number ${value}` : `a value of type ${typeof value}`}.`,
  )
}
