import { dataDir } from '../configuration/app-folders.ts'
import type { DatabaseOptions, System } from '../system.ts'
import { checkServerDatabase } from './check-server-database.ts'

/** Returns the database that the environment names, for commands without a server. */
export function databaseFromEnvironment(env: System['env']): { readonly database?: DatabaseOptions } {
  const { PARLEY_DATABASE: given, DATABASE_URL: other, PARLEY_SECRET_KEY: key } = env
  if (!given && !other && !key) return {}
  return {
    database: {
      urls: [
        ...(given ? [{ url: given, source: 'PARLEY_DATABASE', use: 'given' } as const] : []),
        // It may belong to another program, so it is only a source of the password.
        ...(other ? [{ url: other, source: 'DATABASE_URL', use: 'password' } as const] : []),
      ],
      ...(key && { secretKey: { text: key, source: 'PARLEY_SECRET_KEY', isStored: false } }),
    },
  }
}

/**
 * Checks that the running server of the data folder uses the database that PARLEY_DATABASE names, if it names one.
 * @throws ClientFailure `usage` if it uses another one
 */
export async function checkDatabaseOfServer(system: System): Promise<void> {
  const { PARLEY_DATABASE: given } = system.env
  if (given) checkServerDatabase(dataDir(system), given)
}
