import { existsSync } from 'node:fs'
import { locationOf, parseDatabaseUrl } from '../../node/database-url.ts'
import { readMarker } from '../../node/folder-marker.ts'
import { chooseDatabase, withKnownPassword } from '../data-folder/choose-database.ts'
import { readDatabaseFile, sqliteFile } from '../data-folder/database-file.ts'
import type { DatabaseOptions, DatabaseSettings } from '../data-folder/database-settings.ts'
import { TransferRefused } from './transfer-refused.ts'

/** A PostgreSQL database, with the id that it must have if a data folder uses it. */
export interface DatabasePlace {
  readonly url: URL
  readonly options: DatabaseOptions
  readonly id?: string
}

/** A data folder with a SQLite file. */
export interface FolderPlace {
  readonly folder: string
}

/** A database to copy from or to. */
export type TransferPlace = DatabasePlace | FolderPlace

/** Source and target of a migration, as the user names them. */
export interface NamedPlaces {
  readonly dataDir: string
  /** URL of the source (default: the database of the data folder). */
  readonly from?: string | undefined
  /** URL of the target, or the absolute path of a folder for a SQLite file. */
  readonly to: string
  /** Settings of PostgreSQL databases. */
  readonly database?: DatabaseSettings | undefined
}

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text)

function databaseAt(text: string, flag: string, settings: DatabaseSettings = {}): DatabasePlace {
  const { urls = [], secretKey: _, ...options } = settings
  return { url: withKnownPassword(parseDatabaseUrl(text, flag), urls), options }
}

/**
 * Returns source and target of a migration. @throws TransferRefused, DatabaseRefused, InvalidDatabaseUrl if they cannot
 * be used, before anything is opened
 */
export function choosePlaces(named: NamedPlaces): { readonly from: TransferPlace; readonly to: TransferPlace } {
  const { dataDir, database } = named
  const from = chooseSource(named)
  const to = isUrl(named.to) ? databaseAt(named.to, '--to', database) : { folder: named.to }
  const isSame =
    'url' in from
      ? 'url' in to && locationOf(from.url) === locationOf(to.url)
      : 'folder' in to && from.folder === to.folder
  if (isSame)
    throw new TransferRefused('usage', 'Source and target are the same database.', 'Choose another target with --to.')
  if ('folder' in to && to.folder !== dataDir && readDatabaseFile(to.folder))
    throw new TransferRefused(
      'conflict',
      `The folder ${to.folder} uses a PostgreSQL database.`,
      'Choose an empty folder with --to.',
    )
  return { from, to }
}

function chooseSource({ dataDir, from, database = {} }: NamedPlaces): TransferPlace {
  if (from !== undefined) {
    if (isUrl(from)) return databaseAt(from, '--from', database)
    throw new TransferRefused('usage', 'Invalid --from.', 'Pass a URL, or set PARLEY_DATA_DIR to use another folder.')
  }
  const stored = readDatabaseFile(dataDir)
  if (!stored && readMarker(dataDir)?.database === undefined && existsSync(sqliteFile(dataDir)))
    return { folder: dataDir }
  const urls = (database.urls ?? []).filter((it) => it.use === 'given' || stored)
  const chosen = chooseDatabase(dataDir, { ...database, urls }, stored, () => {})
  if (!chosen)
    throw new TransferRefused(
      'usage',
      `The data folder ${dataDir} has no data.`,
      'Pass --from <url>, or set PARLEY_DATA_DIR.',
    )
  return { url: chosen.url, options: chosen.options, ...(stored && { id: stored.id }) }
}
