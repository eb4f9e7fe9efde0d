import { findDatabaseLocation } from '../../program/connection/database-settings.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/**
 * Checks that the data of a folder is in its SQLite file, not in PostgreSQL. `hint` says how to do the same there.
 * @throws ClientFailure `usage`
 */
export async function requireSqliteFolder({ system }: Context, folder: string, hint: string): Promise<void> {
  const location = findDatabaseLocation(folder, system.env.PARLEY_DATABASE)
  if (location === undefined) return
  throw usageError(
    `The data folder ${folder} uses the PostgreSQL database ${location}. "parley server backup" and "parley server restore" are for data in SQLite.`,
    hint,
  )
}
