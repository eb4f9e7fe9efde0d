import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeWriteError } from '../../../node/file-error.ts'
import { requireFiles } from '../../../node/folder-marker.ts'
import { stringifyJson } from '../../../node/json.ts'
import { syncFolder } from '../../../node/replace-file.ts'
import { createClock } from '../../jobs/clock.ts'
import { StoreError } from '../../store/database/store-error.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { type CopyContent, checkCopy } from '../../store/transfer/copy-data.ts'
import { readCredentials } from '../data-folder/credentials.ts'
import { sqliteFile } from '../data-folder/database-file.ts'
import { createSnapshotInfo } from '../data-folder/snapshot-info.ts'
import { type MigrateOptions, type MigratingProcess, type MigrationResult, migrateData } from './migrate-data.ts'
import { TransferRefused } from './transfer-secrets.ts'

/** Options of a backup. */
interface BackupOptions {
  readonly dataDir: string
  /** Absolute path of the backup. */
  readonly file: string
  /** Whether an existing file is replaced. */
  readonly isReplacing: boolean
}

/** A checked backup. */
interface Backup extends CopyContent {
  readonly file: string
  readonly bytes: number
  readonly saved_at: string
}

/**
 * Copies the SQLite file of a data folder with its secrets to one file, in the format of snapshots, and checks the copy.
 * Other processes can read and write. Rejects with TransferRefused or StoreError; the file then does not exist, or is the
 * previous one.
 */
async function backUpFolder({ dataDir, file, isReplacing }: BackupOptions, wall: () => number): Promise<Backup> {
  const source = sqliteFile(dataDir)
  const current = existsSync(source) ? readCredentials(dataDir) : undefined
  if (!current) {
    requireFiles(dataDir, 'platform.db')
    throw new TransferRefused(
      'usage',
      `There is nothing to back up: the data folder ${dataDir} has no data yet.`,
      'Set PARLEY_DATA_DIR to the folder that has the data. To create sample data: parley server seed.',
    )
  }
  if (existsSync(file) && !isReplacing)
    throw new TransferRefused('conflict', `The file ${file} already exists.`, 'Choose another name, or pass --replace.')
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new TransferRefused(
      'usage',
      `Could not write ${file}: ${describeWriteError({ code: existsSync(folder) ? 'ENOTDIR' : 'ENOENT' })}.`,
      'Pass a file in a folder that exists.',
    )
  const connection = await openSqlite(source).catch((error: unknown) => rejectDamaged(error, source))
  const draft = `${file}.unchecked`
  try {
    const saved_at = new Date(wall()).toISOString()
    const deps = { connection, clock: createClock(connection, wall), credentials: { current }, dataDir }
    const text = stringifyJson(await createSnapshotInfo(deps, saved_at))
    await connection.snapshots?.save(draft, text)
    const content = await checkCopy(draft)
    renameSync(draft, file)
    syncFolder(folder)
    return { file, bytes: statSync(file).size, saved_at, ...content }
  } catch (error) {
    return rejectDamaged(error, source)
  } finally {
    rmSync(draft, { force: true })
    await connection.close()
  }
}

/** Rethrows an error. A damaged copy means a damaged database: the error names the database and what to do. */
function rejectDamaged(error: unknown, source: string): never {
  if (!(error instanceof StoreError) || error.reason !== 'corrupt') throw error
  throw new TransferRefused(
    'usage',
    `The database ${source} is damaged. No backup was written.`,
    'To see the damage: parley server check. To replace the data by an earlier backup: parley server restore <file>.',
  )
}

/** Copies all data of a platform. */
export interface DataTransfer {
  /** Copies the data of a folder or database to another database. */
  migrateData(options: MigrateOptions): Promise<MigrationResult>
  /** Copies the SQLite file of a data folder, with its secrets, to a file. */
  backUpFolder(options: BackupOptions): Promise<Backup>
}

/** Creates the functions for a process. `wall` returns the wall time in milliseconds. */
export const createDataTransfer = ({
  wall,
  ...migrating
}: MigratingProcess & { readonly wall: () => number }): DataTransfer => ({
  migrateData: (options) => migrateData(options, migrating),
  backUpFolder: (options) => backUpFolder(options, wall),
})
