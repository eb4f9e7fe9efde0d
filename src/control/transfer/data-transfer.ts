import { type Backup, type BackupOptions, backUpFolder } from './back-up-folder.ts'
import { type MigrateOptions, type MigratingProcess, type MigrationResult, migrateData } from './migrate-data.ts'

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
