import { closeSync, existsSync, openSync } from 'node:fs'
import { realTime, sleep } from '../../../node/real-time.ts'
import type { SqliteDatabase, SqliteDriver } from './libsql-driver.ts'
import { fileStoreError, isBusy, storeError } from './sqlite-store-errors.ts'

/** Limits of one connection to a SQLite file. */
export interface ConnectOptions {
  /** PRAGMA max_page_count: maximum number of 4 KiB pages of the file. */
  readonly maxPages?: number | undefined
  /** Milliseconds to wait for another process's lock. */
  readonly busyTimeoutMs: number
  readonly readOnly?: boolean
  /**
   * Opens the file for this connection alone, without the shared-memory file beside it. For reads on a full disk, where
   * that file cannot be created.
   */
  readonly isExclusive?: boolean
  /** Whether a commit must survive a power failure (default: true). It always survives the end of the process. */
  readonly durable?: boolean | undefined
}

/** Creates a missing file, accessible only to its owner, because it has hashes of keys and message content. */
export function createFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw fileStoreError(error, file)
  }
}

/**
 * Opens and configures one connection. A commit survives a power failure (`synchronous=FULL`) unless `durable` is
 * false. Throws SqliteError, for example busy while another process converts a new file to WAL.
 */
export function connect(driver: SqliteDriver, file: string, options: ConnectOptions): SqliteDatabase {
  const database = driver.open(file)
  try {
    database.exec(`PRAGMA busy_timeout=${options.busyTimeoutMs}`)
    // Before the first access: the index of the log is then in the memory of this process.
    if (options.isExclusive) database.exec('PRAGMA locking_mode=EXCLUSIVE')
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

/**
 * Runs `work`, and repeats it every millisecond while another process holds the lock, for at most `timeoutMs`. Then
 * throws its last error. Frequent attempts without blocking are better than SQLite's own waiting, which stops the event
 * loop and whose long sleeps miss the short gaps of a busy writer.
 */
export async function retryWhileBusy<T>(work: () => T, timeoutMs: number): Promise<T> {
  // The clock is loaded only when needed, because its module takes longer than this whole function in a short command.
  let end: number | undefined
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      end ??= realTime.monotonicMs() + timeoutMs
      if (realTime.monotonicMs() >= end) throw error
    }
    await sleep(1)
  }
}
