import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { appendChecksum } from '../../node/file-checksum.ts'
import { createFile } from './open-connection.ts'
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts'
import { SqliteError } from './sqlite-error.ts'
import { toStoreError } from './sqlite-store-errors.ts'

const partialPath = (to: string): string => `${to}.${Math.random().toString(36).slice(2, 10)}`

/**
 * Copies the committed data. The copy is first written next to `to`, so that an incomplete copy is never mistaken for a
 * complete one.
 */
export function copyDatabase(driver: SqliteDriver, file: string, to: string): void {
  const half = partialPath(to)
  createFile(half)
  const database = driver.open(file)
  try {
    database.prepare('VACUUM INTO ?').run([half])
    const written = openSync(half, 'r+')
    fsyncSync(written)
    closeSync(written)
    renameSync(half, to)
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
export async function copyDatabaseInThread(
  driver: SqliteDriver,
  file: string,
  to: string,
  finish: (copy: SqliteDatabase) => void,
): Promise<void> {
  const { open, rm } = await import('node:fs/promises')
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
    renameSync(half, to)
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
  const { Worker } = await import('node:worker_threads')
  await new Promise<void>((resolve, reject) => {
    const thread = new Worker(source, { eval: true, workerData: { ...data, ...paths }, execArgv: [] })
    thread.once('error', (error) => reject(toSqliteError(error)))
    thread.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`The copying thread ended with ${code}.`)),
    )
  })
}
