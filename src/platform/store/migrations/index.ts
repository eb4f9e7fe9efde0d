import type { Migration } from '../database/connection.ts'

/** Version of the schema of this program: the number of its migrations. */
export const schemaVersion = 31

/** Loads the migrations, oldest first. A database that is up to date needs none. */
export const loadMigrations = async (): Promise<readonly Migration[]> => (await import('./all.ts')).migrations
