import { existsSync } from 'node:fs'
import { isUint8Array } from 'node:util/types'
import { isError } from '../../../node/is-error.ts'
import { StoreError } from '../database/store-error.ts'
import type { Bindable, Row, SqliteDatabase, SqliteStatement } from './libsql-driver.ts'
import { libsqlDriver, type SqliteDriver } from './libsql-driver.ts'
import { SqliteError } from './sqlite-store-errors.ts'

/** Part of `node:sqlite` that is used. The types of the oldest supported runtime do not declare it. */
interface Native {
  readonly DatabaseSync: new (file: string) => NativeDatabase
}

interface NativeDatabase {
  prepare(sql: string): NativeStatement
  exec(sql: string): void
  close(): void
}

interface NativeStatement {
  all(...parameters: readonly Bindable[]): Row[]
  get(...parameters: readonly Bindable[]): Row | undefined
  run(...parameters: readonly Bindable[]): { changes: number; lastInsertRowid: number }
  iterate(...parameters: readonly Bindable[]): IterableIterator<Row>
  /** Since Node 22.16. */
  columns?(): readonly unknown[]
}

/** Returns the driver for the SQLite of the runtime; undefined if the runtime has none or hides it behind a flag. */
function nodeDriver(): SqliteDriver | undefined {
  const native = loadWithoutWarning()
  return (
    native && {
      name: 'node:sqlite',
      copyThread: { source: copyScript, data: {} },
      open: (file) => new NodeDatabase(withSqliteErrors(() => new native.DatabaseSync(file))),
    }
  )
}

const copyScript = `process.removeAllListeners('warning')
const { workerData: { from, to } } = require('node:worker_threads')
const database = new (require('node:sqlite').DatabaseSync)(from)
try { database.prepare('VACUUM INTO ?').run(to) } finally { database.close() }`

/** Loads the module without its experimental warning. Other warnings are shown. */
function loadWithoutWarning(): Native | undefined {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...more: never[]) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emitWarning.call(process, warning, ...more)
  }) as typeof emitWarning
  try {
    return process.getBuiltinModule('node:sqlite') as Native | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

class NodeDatabase implements SqliteDatabase {
  readonly #native: NativeDatabase

  constructor(native: NativeDatabase) {
    this.#native = native
  }

  prepare(sql: string): SqliteStatement {
    return new NodeStatement(
      withSqliteErrors(() => this.#native.prepare(sql)),
      sql,
    )
  }

  exec(sql: string): void {
    withSqliteErrors(() => this.#native.exec(sql))
  }

  close(): void {
    withSqliteErrors(() => this.#native.close())
  }
}

class NodeStatement implements SqliteStatement {
  readonly #native: NativeStatement
  readonly reader: boolean

  constructor(native: NativeStatement, sql: string) {
    this.#native = native
    this.reader = native.columns
      ? native.columns().length > 0
      : /^\s*(?:select|with|values|pragma|explain)\b|\breturning\b/i.test(sql)
  }

  all(parameters: readonly Bindable[]): Row[] {
    return withSqliteErrors(() => this.#native.all(...parameters))
  }

  get(parameters: readonly Bindable[]): Row | undefined {
    return withSqliteErrors(() => this.#native.get(...parameters))
  }

  run(parameters: readonly Bindable[]): { changes: number; lastInsertRowid: number } {
    return withSqliteErrors(() => this.#native.run(...parameters))
  }

  *iterate(parameters: readonly Bindable[]): Generator<Row, void, undefined> {
    const rows = withSqliteErrors(() => this.#native.iterate(...parameters))
    try {
      for (let next = withSqliteErrors(() => rows.next()); !next.done; next = withSqliteErrors(() => rows.next()))
        yield next.value
    } finally {
      rows.return?.()
    }
  }
}

function withSqliteErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isError(error) && 'errcode' in error) throw new SqliteError(error.message, Number(error.errcode), error)
    throw error
  }
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
    if (error instanceof StoreError) throw error
    const here = `${process.platform}-${process.arch} with Node ${process.versions.node}`
    // npm would install the drivers of both C libraries everywhere, so the package has only that for glibc.
    const fix = existsSync('/etc/alpine-release')
      ? `install @libsql/linux-${process.arch}-musl next to it`
      : 'reinstall with optional dependencies'
    throw new StoreError(
      'unopenable',
      `No SQLite driver is available for ${here}. Use Node 22.13 or later, which includes one, or ${fix}.`,
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
