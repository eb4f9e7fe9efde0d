import { existsSync, statSync } from 'node:fs'
import { dataFiles } from '../../../node/data-files.ts'
import {
  isSameDatabase,
  locationOf,
  parseDatabaseUrl,
  passwordOf,
  withoutPassword,
  withPassword,
} from '../../../node/database-url.ts'
import { readMarker } from '../../../node/folder-marker.ts'
import { addressLost, type StoredDatabase, sqliteFile } from './database-file.ts'
import type { DatabaseOptions, DatabaseSettings } from './database-settings.ts'

/** The settings of a database contradict the data folder. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
  readonly exit = 'usage'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** The PostgreSQL database to open. */
export interface ChosenDatabase {
  /** URL with the password, if one is known. */
  readonly url: URL
  /** What the folder stored before, with the id that the database must have. */
  readonly stored: StoredDatabase | undefined
  readonly options: DatabaseOptions
  /** The folder has a SQLite file, whose data the database must have. Where the URL comes from. */
  readonly replacesSqlite?: string
}

/**
 * Chooses the database of a folder: the one that it has used before, else a given one. Returns undefined for the SQLite
 * file of the folder. @throws DatabaseRefused if a given URL contradicts the folder, InvalidDatabaseUrl
 */
export function chooseDatabase(
  dataDir: string,
  { urls = [], secretKey: _, ...options }: DatabaseSettings,
  stored: StoredDatabase | undefined,
  log: (text: string) => void,
): ChosenDatabase | undefined {
  const given = urls.find((it) => it.use === 'given')
  const givenUrl = given && parseDatabaseUrl(given.url, given.source)
  if (stored) {
    const own = parseDatabaseUrl(stored.url, dataFiles.postgres)
    if (given && givenUrl && !isSameDatabase(own, givenUrl))
      throw new DatabaseRefused(
        `The data folder ${dataDir} uses the database ${locationOf(own)}, but ${given.source} names ${locationOf(givenUrl)}.`,
        `Remove ${given.source}, or use another data folder (PARLEY_DATA_DIR). If the database has moved, delete database.json in the data folder first.`,
      )
    const { isolation, isPooled } = stored
    return {
      url: withKnownPassword(givenUrl ?? own, urls),
      stored,
      options: { ...(isolation && { isolation }), ...(isPooled !== undefined && { isPooled }), ...options },
    }
  }
  const marker = readMarker(dataDir)
  const hasFile = existsSync(sqliteFile(dataDir)) && statSync(sqliteFile(dataDir)).size > 0
  const isSqlite = marker?.database === undefined && (hasFile || marker?.files.includes(dataFiles.sqlite) === true)
  if (marker?.database !== undefined && !givenUrl) throw addressLost(dataDir)
  if (isSqlite && !givenUrl) {
    for (const candidate of urls)
      if (candidate.use === 'new_folder')
        log(`${candidate.source} is ignored: the data folder ${dataDir} has its data in SQLite.`)
    return undefined
  }
  const first = given ?? urls.find((it) => it.use === 'new_folder')
  if (!first) return undefined
  return {
    url: withKnownPassword(parseDatabaseUrl(first.url, first.source), urls),
    stored: undefined,
    options,
    ...(isSqlite && { replacesSqlite: first.source }),
  }
}

/** Adds the password of another URL of the same database and user. Without one, PGPASSWORD and PGPASSFILE apply. */
export function withKnownPassword(url: URL, urls: NonNullable<DatabaseSettings['urls']>): URL {
  if (passwordOf(url) !== undefined) return url
  for (const candidate of urls) {
    if (!URL.canParse(candidate.url)) continue
    const other = new URL(candidate.url)
    const password = passwordOf(other)
    if (password !== undefined && other.username === url.username && isSameDatabase(other, url))
      return withPassword(url, password)
  }
  return url
}

/** Returns what a folder stores about its database. */
export const toStored = ({ url, options }: ChosenDatabase, id: string): StoredDatabase => ({
  url: withoutPassword(url).href,
  id,
  ...(options.isolation && { isolation: options.isolation }),
  ...(options.isPooled !== undefined && { isPooled: options.isPooled }),
})
