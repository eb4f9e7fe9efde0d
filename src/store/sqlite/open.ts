import { statSync } from 'node:fs'
import { Kysely } from 'kysely'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { connect, makeFile } from './connect.ts'
import { copyBeside, copyTo } from './copying.ts'
import { SqliteConnection, sqliteDialect } from './dialect.ts'
import { loadSqlite, type SqliteDatabase, type SqliteDriver } from './driver.ts'
import { Memory } from './memory.ts'
import { patiently } from './patience.ts'
import { toStoreError } from './refusals.ts'
import { snapshotsOf } from './snapshot.ts'
import { Writer } from './writer.ts'

export interface SqliteOptions {
  /** How many pages of 4 KiB the file may grow to; beyond, writes are refused as `full`. */
  readonly maxPages?: number | undefined
  /** Milliseconds a write waits for another process's lock; 15 s unless told. */
  readonly patienceMs?: number | undefined
  /** False where nothing needs to survive a loss of power. */
  readonly durable?: boolean | undefined
  readonly driver?: SqliteDriver
}

/** Bytes of write-ahead log above which closing moves it into the file: the next one to open would have to read it. */
const logToLeave = 256 * 1024

/**
 * Opens a file with one connection to read and, from the first write on, one to write. The file is made if its folder exists.
 * Rejects with StoreError.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Database> {
  const driver = options.driver ?? loadSqlite()
  const patienceMs = options.patienceMs ?? 15_000
  makeFile(file)
  const open = (settings: { busyTimeoutMs: number; readOnly?: boolean }): Promise<SqliteDatabase> =>
    patiently(() => connect(driver, file, { maxPages: options.maxPages, durable: options.durable, ...settings }), patienceMs)

  const reader = await open({ busyTimeoutMs: 5000, readOnly: true }).catch((error) => {
    throw toStoreError(error, file)
  })
  const connection = new SqliteConnection(reader, file)
  const memory = new Memory(reader, { afterThis: process.nextTick, afterAll: setImmediate })
  // The writer does its own waiting, without blocking the event loop.
  const writer = new Writer({ file, patienceMs, open: () => open({ busyTimeoutMs: 0 }), committed: () => memory.doubt() })
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    const written = await writer.close()
    if (written && logSize(file) > logToLeave) checkpoint(driver, file)
    reader.close()
  }

  return {
    dialect: 'sqlite',
    where: file,
    read: new Kysely<Tables>({ dialect: sqliteDialect(() => connection) }),
    write: (body) => writer.write(body),
    recall: (key, read) => memory.recall(key, read),
    arrived: (from) => memory.arrived(from),
    exclusively: (body) => writer.write(body),
    backup: (to) => copyTo(driver, file, to),
    snapshots: snapshotsOf({ driver, file, patienceMs, copy: (to, finish) => copyBeside(driver, file, to, finish), restored: () => memory.doubt() }),
    close: () => (closing ??= close()),
  }
}

const logSize = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Moves the log into the file as far as nobody else is in the way. */
function checkpoint(driver: SqliteDriver, file: string): void {
  const database = driver.open(file)
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Whatever is left in the log is as safe as in the file.
  }
  database.close()
}
