import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from '../../../node/data-files.ts'
import { isSameDatabase, locationOf, parseDatabaseUrl } from '../../../node/database-url.ts'
import { parseJson } from '../../../node/json.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { usageError } from '../errors/usage-error.ts'
import type { DatabaseOptions, System } from '../system.ts'

/**
 * Checks that the running server of a data folder uses the database that PARLEY_DATABASE names.
 * @throws ClientFailure `usage` if it uses another one
 */
function requireServerDatabase(dataDir: string, given: string): void {
  const url = parseDatabaseUrl(given, 'PARLEY_DATABASE')
  const own = readStoredUrl(join(dataDir, dataFiles.postgres))
  if (own && isSameDatabase(own, url)) return
  throw usageError(
    `The server of the data folder ${dataDir} uses ${own ? `the database ${locationOf(own)}` : 'SQLite'}, but PARLEY_DATABASE names ${locationOf(url)}.`,
    'Unset PARLEY_DATABASE, or use another data folder (PARLEY_DATA_DIR).',
  )
}

/**
 * Returns host, port and name of the PostgreSQL database that a data folder uses, or that PARLEY_DATABASE names; undefined
 * for SQLite. @throws InvalidDatabaseUrl
 */
export function findDatabaseLocation(dataDir: string, given: string | undefined): string | undefined {
  const own = readStoredUrl(join(dataDir, dataFiles.postgres))
  if (own) return locationOf(own)
  return given ? locationOf(parseDatabaseUrl(given, 'PARLEY_DATABASE')) : undefined
}

function readStoredUrl(file: string): URL | undefined {
  try {
    return new URL((parseJson(readFileSync(file, 'utf8')) as { readonly url: string }).url)
  } catch {
    return undefined
  }
}

/**
 * Returns the database that the environment names, for commands without a server; database-settings.ts of nouns/server adds
 * what flags name. The order of the URLs is their precedence.
 */
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
export async function requireDatabaseOfServer(system: System): Promise<void> {
  const { PARLEY_DATABASE: given } = system.env
  if (given) requireServerDatabase(dataDir(system), given)
}
