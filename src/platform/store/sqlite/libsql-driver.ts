import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type EmbeddedFiles, embeddedFiles } from '../../../node/bundle-file.ts'
import { cacheFolder } from '../../../node/cache-folder.ts'
import { isError } from '../../../node/is-error.ts'
import { unpackFile } from '../../../node/unpack-file.ts'
import { StoreError } from '../database/store-error.ts'
import { SqliteError } from './sqlite-store-errors.ts'

/** Values of one row, in the order of its columns. */
type RowValues = readonly unknown[]

/** Handle of the native module. */
type Handle = object

/** Functions in use of the native module of libsql 0.5. Handles are passed as `this`. */
interface Native {
  databaseOpen(
    file: string,
    authToken: string,
    cipher: string,
    encryptionKey: string,
    timeout: number,
    remoteKey: string,
  ): Handle
  databaseExecSync(this: Handle, sql: string): void
  databasePrepareSync(this: Handle, sql: string): Handle
  databaseClose(this: Handle): void
  statementIsReader(this: Handle): boolean
  statementColumns(this: Handle): readonly { readonly name: string }[]
  /** Makes a statement return rows as lists. */
  statementRaw(this: Handle, raw: boolean): void
  statementRun(this: Handle, parameters: readonly Bindable[]): { changes: number; lastInsertRowid: number }
  statementGet(this: Handle, parameters: readonly Bindable[]): unknown
  statementRowsSync(this: Handle, parameters: readonly Bindable[]): Handle
  /** Fills the array. Elements that stay undefined mean that there are no more rows. */
  rowsNext(this: Handle, rows: (RowValues | undefined)[]): void
}

const batchSize = 100

/**
 * Loads the native module of libsql without its JavaScript, which needs ten milliseconds to detect the C library.
 * Throws the error of `require` if the platform has no such package.
 */
export function libsqlDriver(): SqliteDriver {
  const { native, path } = loadNative()
  return {
    name: 'libsql',
    copyThread: { source: copyScript, data: { path } },
    open: (file) =>
      new LibsqlDatabase(
        native,
        withSqliteErrors(() => native.databaseOpen(file, '', 'aes256cbc', '', 0, '')),
      ),
  }
}

const copyScript = `const { workerData: { path, from, to } } = require('node:worker_threads')
const native = require(path)
const database = native.databaseOpen(from, '', 'aes256cbc', '', 0, '')
try { native.statementRun.call(native.databasePrepareSync.call(database, 'VACUUM INTO ?'), [to]) } finally { native.databaseClose.call(database) }`

interface LoadedModule {
  readonly native: Native
  readonly path: string
}

function loadNative(): LoadedModule {
  const load = createRequire(import.meta.filename)
  const embedded = embeddedFiles(import.meta.url)
  if (embedded) return loadEmbedded(embedded, load)
  let failure: unknown
  for (const name of packages()) {
    try {
      return { native: load(name) as Native, path: load.resolve(name) }
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/**
 * Loads the module that a single executable has in itself. The system can load it only from a file, which is in the cache
 * folder under the name that the build made from its content.
 */
function loadEmbedded(embedded: EmbeddedFiles, load: NodeJS.Require): LoadedModule {
  const name = Buffer.from(embedded.getRawAsset('libsql.name')).toString()
  const folder = cacheFolder(process.env, process.platform)
  const hint = 'Set PARLEY_CACHE_DIR to a folder that you can write to.'
  if (folder === undefined)
    throw new StoreError('unopenable', `The SQLite driver needs a cache folder, and this user has none. ${hint}`)
  const path = join(folder, name)
  try {
    unpackFile(path, new Uint8Array(embedded.getRawAsset('libsql.node')))
  } catch (error) {
    const reason = isError(error) ? error.message : String(error)
    throw new StoreError('unopenable', `The SQLite driver cannot be written to ${path}: ${reason}. ${hint}`, error)
  }
  return { native: load(path) as Native, path }
}

/** Returns the native packages to try. On Linux, loading is the fastest way to detect the C library. */
function packages(): string[] {
  const here = `@libsql/${process.platform}-${process.arch}`
  if (process.platform === 'win32') return [`${here}-msvc`]
  if (process.platform !== 'linux') return [here]
  return existsSync('/etc/alpine-release') ? [`${here}-musl`, `${here}-gnu`] : [`${here}-gnu`, `${here}-musl`]
}

class LibsqlDatabase implements SqliteDatabase {
  readonly #native: Native
  readonly #handle: Handle

  constructor(native: Native, handle: Handle) {
    this.#native = native
    this.#handle = handle
  }

  prepare(sql: string): SqliteStatement {
    return new LibsqlStatement(
      this.#native,
      withSqliteErrors(() => this.#native.databasePrepareSync.call(this.#handle, sql)),
    )
  }

  exec(sql: string): void {
    withSqliteErrors(() => this.#native.databaseExecSync.call(this.#handle, sql))
  }

  /** The native module keeps the connection, with its lock, until all of its statements are garbage collected. */
  close(): void {
    try {
      this.#native.databaseExecSync.call(this.#handle, 'ROLLBACK')
    } catch {
      // There is no transaction.
    }
    withSqliteErrors(() => this.#native.databaseClose.call(this.#handle))
  }
}

class LibsqlStatement implements SqliteStatement {
  readonly #native: Native
  readonly #handle: Handle
  readonly #columns: readonly string[]
  readonly reader: boolean

  constructor(native: Native, handle: Handle) {
    this.#native = native
    this.#handle = handle
    this.reader = native.statementIsReader.call(handle)
    // The native module is slower at building row objects than JavaScript is.
    if (this.reader) native.statementRaw.call(handle, true)
    this.#columns = this.reader ? native.statementColumns.call(handle).map((it) => it.name) : []
  }

  all(parameters: readonly Bindable[]): Row[] {
    return withSqliteErrors(() => {
      const found: Row[] = []
      const rows = this.#native.statementRowsSync.call(this.#handle, parameters)
      const batch = new Array<RowValues | undefined>(batchSize)
      do {
        batch.fill(undefined)
        this.#native.rowsNext.call(rows, batch)
        for (const values of batch) if (values) found.push(toRow(this.#columns, values))
      } while (batch[batchSize - 1])
      return found
    })
  }

  /** Returns one row in half the time of `all`. The native module appends an extra value after those of the columns. */
  get(parameters: readonly Bindable[]): Row | undefined {
    const values = withSqliteErrors(() => this.#native.statementGet.call(this.#handle, parameters)) as
      | RowValues
      | undefined
    return values && toRow(this.#columns, values)
  }

  run(parameters: readonly Bindable[]): { changes: number; lastInsertRowid: number } {
    return withSqliteErrors(() => this.#native.statementRun.call(this.#handle, parameters))
  }

  *iterate(parameters: readonly Bindable[]): Generator<Row, void, undefined> {
    const rows = withSqliteErrors(() => this.#native.statementRowsSync.call(this.#handle, parameters))
    const some = new Array<RowValues | undefined>(batchSize)
    let more = true
    try {
      while (more) {
        some.fill(undefined)
        withSqliteErrors(() => this.#native.rowsNext.call(rows, some))
        more = some[batchSize - 1] !== undefined
        for (const values of some) if (values) yield toRow(this.#columns, values)
      }
    } finally {
      // There is no call to reset a statement, which would hold its snapshot. The native `get` ends with a reset.
      if (more) withSqliteErrors(() => this.#native.statementGet.call(this.#handle, parameters))
    }
  }
}

function toRow(columns: readonly string[], values: RowValues): Row {
  const row: Row = {}
  for (let n = 0; n < columns.length; n++) row[columns[n] as string] = values[n]
  return row
}

function withSqliteErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isError(error)) throw error
    if ('rawCode' in error) throw new SqliteError(error.message, Number(error.rawCode), error)
    // A file that cannot be opened is reported only in the message: `ConnectionFailed("... <file>: 14")`.
    const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)
    if (opening) throw new SqliteError(error.message, Number(opening[1]), error)
    throw error
  }
}

export type Row = Record<string, unknown>

/** Values that both drivers can bind. Integers are bound as integers, so that SQL calculates as on PostgreSQL. */
export type Bindable = string | bigint | number | null | Uint8Array

/** A prepared statement, the same for both drivers. */
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

/** The module that opens SQLite files: the one of Node, or the package where Node has none. */
export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'libsql'
  open(file: string): SqliteDatabase
  /** Source and data of a thread that copies `workerData.from` to `workerData.to`. */
  readonly copyThread: { readonly source: string; readonly data: Readonly<Record<string, string>> }
}
