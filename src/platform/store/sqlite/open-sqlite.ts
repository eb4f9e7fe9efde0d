// A platform database in a SQLite file: one connection that reads and one that writes, with a cache of reads that ends when
// any process writes.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { appendChecksum } from '../../../node/file-checksum.ts'
import { renameFile } from '../../../node/operating-system.ts'
import { realTime } from '../../../node/real-time.ts'
import { keepAccountQueries } from '../database/account-query.ts'
import type { Database } from '../database/connection.ts'
import { StoreError } from '../database/store-error.ts'
import { SqliteConnection, sqliteQuery } from './kysely-dialect.ts'
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from './libsql-driver.ts'
import { type ConnectOptions, connect, createFile, retryWhileBusy } from './open-connection.ts'
import { createSnapshots } from './snapshots.ts'
import { loadSqlite } from './sqlite-driver.ts'
import { SqliteError, storeError, toStoreError } from './sqlite-store-errors.ts'
import { TransactionWriter } from './transaction-writer.ts'

/**
 * Returns a new path beside a copy, for what is written of it. The handlers of snapshots know such a file by this form: they do not
 * list it, and remove one that a crash left.
 */
const partialPath = (to: string): string => `${to}.${Math.random().toString(36).slice(2, 10)}`

/**
 * Copies the committed data. The copy is first written next to `to`, so that an incomplete copy is never mistaken for a
 * complete one.
 */
function copyDatabase(driver: SqliteDriver, file: string, to: string): void {
  const half = partialPath(to)
  createFile(half)
  const database = driver.open(file)
  try {
    database.prepare('VACUUM INTO ?').run([half])
    const written = openSync(half, 'r+')
    fsyncSync(written)
    closeSync(written)
    renameFile(half, to)
  } catch (error) {
    rmSync(half, { force: true })
    throw toStoreError(error, to)
  } finally {
    database.close()
  }
}

/**
 * Copies the committed data in a separate thread, without blocking the process. `finish` modifies the copy before it
 * gets its checksum and is moved into place.
 */
async function copyDatabaseInThread(
  driver: SqliteDriver,
  file: string,
  to: string,
  finish: (copy: SqliteDatabase) => void,
): Promise<void> {
  const half = partialPath(to)
  createFile(half)
  try {
    await runCopyThread(driver, { from: file, to: half })
    const copy = driver.open(half)
    try {
      finish(copy)
    } finally {
      copy.close()
    }
    await appendChecksum(half)
    const written = await open(half, 'r+')
    await written.sync().finally(() => written.close())
    renameFile(half, to)
  } catch (error) {
    await rm(half, { force: true })
    throw toStoreError(error, to)
  }
}

/** Restores the error code, which the two drivers pass under different names out of a thread. */
function toSqliteError(error: Error & { readonly errcode?: unknown; readonly rawCode?: unknown }): Error {
  const code = error.errcode ?? error.rawCode
  return code === undefined ? error : new SqliteError(error.message, Number(code), error)
}

async function runCopyThread(
  { copyThread: { source, data } }: SqliteDriver,
  paths: { readonly from: string; readonly to: string },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const thread = new Worker(source, { eval: true, workerData: { ...data, ...paths }, execArgv: [] })
    thread.once('error', (error) => reject(toSqliteError(error)))
    thread.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`The copying thread ended with ${code}.`)),
    )
  })
}

/** More than the keys and clocks of a busy platform. The limit keeps unknown clients from filling the memory. */
const maxEntries = 1000

/** Far fewer connections than the system reports as readable at once. */
const maxRequestsPerCheck = 64

interface CacheEntry {
  readonly reading: Promise<unknown>
  /** Its result, when it has ended. */
  result: unknown
}

/** Hooks that determine when a check of the data version expires. */
interface EventLoopTurns {
  /** Runs work after the callbacks of the current event. */
  afterThisEvent(work: () => void): void
  /** Runs work after all events that arrived together are handled. */
  afterPendingEvents(work: () => void): void
}

/**
 * Caches results of reads until the file changes. SQLite reports changes with a counter (`data_version`) that increases
 * with commits of other connections in any process.
 * The writes of this process use another connection and are detected too.
 */
export class ReadCache {
  readonly #database: SqliteDatabase
  readonly #turns: EventLoopTurns
  readonly #entries = new Map<string, CacheEntry>()
  #version: unknown
  #statement: SqliteStatement | undefined
  #isVersionChecked = false
  /** Connections with a request in this turn of the event loop. */
  readonly #requestSources = new Set<object>()

  constructor(database: SqliteDatabase, turns: EventLoopTurns) {
    this.#database = database
    this.#turns = turns
  }

  cachedRead<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (!this.#isVersionChecked) this.#checkVersion()
    const found = this.#entries.get(key)
    if (found) return found.reading as Promise<T>
    const reading = read()
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    const entry: CacheEntry = { reading, result: undefined }
    this.#entries.set(key, entry)
    reading.then(
      (result) => {
        entry.result = result
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return reading
  }

  /** Returns the result of a cached read that has ended; undefined if there is none, or it may have changed. */
  cachedResult<T>(key: string): T | undefined {
    if (!this.#isVersionChecked) this.#checkVersion()
    return this.#entries.get(key)?.result as T | undefined
  }

  /**
   * Called for a request that was just read from the connection `from`.
   * Requests on connections that became readable together were sent before the first of them is handled, so one check
   * of the counter is recent enough for all. A second request on the same connection may have been sent later.
   */
  onRequest(from: object): void {
    if (this.#requestSources.size === 0) this.#turns.afterPendingEvents(() => this.#clearRequestSources())
    if (this.#requestSources.has(from) || this.#requestSources.size % maxRequestsPerCheck === 0) this.invalidate()
    this.#requestSources.add(from)
  }

  #clearRequestSources(): void {
    this.#requestSources.clear()
    this.invalidate()
  }

  /** Requires a new check of the counter before the next result. */
  invalidate(): void {
    this.#isVersionChecked = false
  }

  #checkVersion(): void {
    this.#statement ??= this.#database.prepare('PRAGMA data_version')
    const version = this.#statement.get([])?.data_version
    if (version !== this.#version) this.#entries.clear()
    this.#version = version
    this.#isVersionChecked = true
    if (this.#requestSources.size === 0) this.#turns.afterThisEvent(() => this.invalidate())
  }
}

/** Node announces each request that an HTTP server of this process received, before it is handled. */
const channel = 'http.server.request.start'

/**
 * Calls `onArrival` with the socket of each HTTP request that this process receives, before the request is handled. So
 * the store learns of requests without a call from the server. Returns the function that ends it.
 */
export function watchRequestArrivals(onArrival: (socket: object) => void): () => void {
  const listener = (message: unknown): void => onArrival((message as { readonly socket: object }).socket)
  subscribe(channel, listener)
  return () => void unsubscribe(channel, listener)
}

/** Limits and durability of a SQLite database. */
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
  const requireInPlace = (): void => {
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
    requireInPlace,
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
    read: keepAccountQueries(sqliteQuery(() => connection)),
    write: (scope, body) => writer.write(scope, body),
    cachedRead: (key, read) => readCache.cachedRead(key, read),
    cachedResult: (key) => readCache.cachedResult(key),
    runExclusively: (body) => writer.write('everything', body),
    requireInPlace,
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
