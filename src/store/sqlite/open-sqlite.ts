import { statSync } from 'node:fs'
import { Kysely } from 'kysely'
import { realTime } from '../../node/real-time.ts'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/store-error.ts'
import { copyDatabase, copyDatabaseInThread } from './copy-database.ts'
import { SqliteConnection, sqliteDialect } from './kysely-dialect.ts'
import { type ConnectOptions, connect, createFile } from './open-connection.ts'
import { ReadCache } from './read-cache.ts'
import { watchRequestArrivals } from './request-arrivals.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { createSnapshots } from './snapshots.ts'
import { loadSqlite, type SqliteDatabase, type SqliteDriver } from './sqlite-driver.ts'
import { storeError, toStoreError } from './sqlite-store-errors.ts'
import { TransactionWriter } from './transaction-writer.ts'

export interface SqliteOptions {
  /** Maximum number of 4 KiB pages of the file. Further writes are rejected as `full`. */
  readonly maxPages?: number | undefined
  /** Milliseconds a write waits for another process's lock (default: 15 s). */
  readonly lockTimeoutMs?: number | undefined
  /** False if commits need not survive a power failure. */
  readonly durable?: boolean | undefined
  /** Whether the file is deleted when it is closed. */
  readonly isTemporary?: boolean | undefined
  readonly driver?: SqliteDriver
}

/** Log size in bytes from which closing moves it into the file: the next process would have to read it. */
const maxWalBytes = 256 * 1024

/**
 * Opens a file with one connection for reading and, from the first write, one for writing. Creates the file if its
 * folder exists. Rejects with StoreError.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Database> {
  const driver = options.driver ?? loadSqlite()
  const lockTimeoutMs = options.lockTimeoutMs ?? 15_000
  createFile(file)
  const open = (
    settings: Pick<ConnectOptions, 'busyTimeoutMs' | 'readOnly' | 'isExclusive'>,
  ): Promise<SqliteDatabase> =>
    retryWhileBusy(
      () => connect(driver, file, { maxPages: options.maxPages, durable: options.durable, ...settings }),
      lockTimeoutMs,
    )

  let isDiskFull = false
  const reader = await open({ busyTimeoutMs: 5000, readOnly: true }).catch(async (cause) => {
    const error = toStoreError(cause, file)
    if (!(error instanceof StoreError && error.reason === 'full')) throw error
    isDiskFull = true
    return open({ busyTimeoutMs: 5000, readOnly: true, isExclusive: true }).catch(() => {
      throw error
    })
  })
  const opened = statSync(file)
  const assertInPlace = (): void => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.ino !== opened.ino || found.dev !== opened.dev) throw storeError('replaced', file)
  }
  const connection = new SqliteConnection(reader, file)
  const readCache = new ReadCache(reader, {
    afterThisEvent: realTime.nextTick,
    afterPendingEvents: realTime.setImmediate,
  })
  // The writer waits for locks without blocking the event loop.
  const writer = new TransactionWriter({
    file,
    lockTimeoutMs,
    assertInPlace,
    open: async () => {
      if (isDiskFull) throw storeError('full', file)
      return open({ busyTimeoutMs: 0 })
    },
    onCommit: () => readCache.invalidate(),
  })
  const endWatch = watchRequestArrivals((socket) => readCache.onRequest(socket))
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    endWatch()
    const written = await writer.close()
    if (written && !options.isTemporary && walSize(file) > maxWalBytes) checkpoint(driver, file)
    reader.close()
  }

  return {
    dialect: 'sqlite',
    location: file,
    read: new Kysely({ dialect: sqliteDialect(() => connection) }),
    write: (_, body) => writer.write(body),
    cachedRead: (key, read) => readCache.cachedRead(key, read),
    cachedResult: (key) => readCache.cachedResult(key),
    runExclusively: (body) => writer.write(body),
    assertInPlace,
    statistics: () => ({ transactions: writer.statistics }),
    backup: (to) => copyDatabase(driver, file, to),
    snapshots: createSnapshots({
      driver,
      file,
      lockTimeoutMs,
      copy: (to, finish) => copyDatabaseInThread(driver, file, to, finish),
      onRestored: () => readCache.invalidate(),
    }),
    close: () => (closing ??= close()),
  }
}

const walSize = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Moves the log into the file as far as other processes allow. */
function checkpoint(driver: SqliteDriver, file: string): void {
  const database = driver.open(file)
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The rest of the log is as safe as the file.
  }
  database.close()
}
