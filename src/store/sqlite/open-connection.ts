import { closeSync, existsSync, openSync } from 'node:fs'
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts'
import { fileStoreError, storeError } from './sqlite-store-errors.ts'

export interface ConnectOptions {
  /** PRAGMA max_page_count: how many pages of 4 KiB the file may have. */
  readonly maxPages?: number | undefined
  /** Milliseconds to wait for another process's lock. */
  readonly busyTimeoutMs: number
  readonly readOnly?: boolean
  /** Whether a commit is to survive a loss of power; yes unless told. Without, it still survives the end of the process. */
  readonly durable?: boolean | undefined
}

/** Makes the file, for its owner only, if it is not there: it holds hashes of keys and what people said. */
export function createFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw fileStoreError(error, file)
  }
}

/**
 * One connection, set up. A commit survives a loss of power (`synchronous=FULL`) unless it need not.
 * Throws SqliteError; busy while another process turns a new file into WAL.
 */
export function connect(driver: SqliteDriver, file: string, options: ConnectOptions): SqliteDatabase {
  const database = driver.open(file)
  try {
    database.exec(`PRAGMA busy_timeout=${options.busyTimeoutMs}`)
    const mode = database.prepare('PRAGMA journal_mode=WAL').get([])?.journal_mode
    if (mode !== 'wal') throw storeError('unopenable', file)
    database.exec(
      `PRAGMA synchronous=${options.durable === false ? 'OFF' : 'FULL'}; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON`,
    )
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count=${options.maxPages}`)
    if (options.readOnly) database.exec('PRAGMA query_only=ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
