import { StoreError } from '../database/store-error.ts'
import { libsqlDriver } from './libsql-driver.ts'
import { nodeDriver } from './node-driver.ts'

export type Row = Record<string, unknown>

/** What both drivers can bind: integers as integers, so that arithmetic in SQL is the same as on PostgreSQL. */
export type Bindable = string | bigint | number | null | Uint8Array

export interface SqliteStatement {
  /** Whether it gives rows. */
  readonly reader: boolean
  all(parameters: readonly Bindable[]): Row[]
  get(parameters: readonly Bindable[]): Row | undefined
  run(parameters: readonly Bindable[]): { readonly changes: number; readonly lastInsertRowid: number }
  /** Row by row. A statement that is iterated must not be run again before the end. */
  iterate(parameters: readonly Bindable[]): Generator<Row, void, undefined>
}

/** One synchronous connection. Everything throws SqliteError. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  /** Runs statements one after another; their rows are dropped. */
  exec(sql: string): void
  close(): void
}

export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'libsql'
  open(file: string): SqliteDatabase
  /** What a thread is started with that copies `workerData.from` to `workerData.to`, beside everything else. */
  readonly copyThread: { readonly source: string; readonly data: Readonly<Record<string, string>> }
}

/**
 * The runtime's own SQLite where it has one without a flag (Node 22.13 and later), else the native part of libsql.
 * Throws StoreError `unopenable` where neither can be loaded.
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

/** Turns a value into what both drivers bind alike. Throws TypeError for what a column cannot keep. */
export function toBindable(value: unknown): Bindable {
  if (typeof value === 'string') {
    // SQLite would cut the text off there, and PostgreSQL refuses it.
    if (value.includes('\0')) throw new TypeError('A column cannot store text with the character U+0000.')
    return value
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value === null || value instanceof Uint8Array) return value
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  throw new TypeError(
    `A column cannot store ${typeof value === 'bigint' ? `the number ${value}` : `a value of type ${typeof value}`}.`,
  )
}
