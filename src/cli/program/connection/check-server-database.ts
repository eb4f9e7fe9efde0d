import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSameDatabase, locationOf, parseDatabaseUrl } from '../../../node/database-url.ts'
import { parseJson } from '../../../node/json.ts'
import { usageError } from '../errors/usage-error.ts'

/**
 * Checks that the running server of a data folder uses the database that PARLEY_DATABASE names.
 * @throws ClientFailure `usage` if it uses another one
 */
export function checkServerDatabase(dataDir: string, given: string): void {
  const url = parseDatabaseUrl(given, 'PARLEY_DATABASE')
  const own = readStoredUrl(join(dataDir, 'database.json'))
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
  const own = readStoredUrl(join(dataDir, 'database.json'))
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
