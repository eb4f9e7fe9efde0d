// Which database a data folder uses: its SQLite file, or the PostgreSQL database that `database.json` names.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canEnter } from '../../../node/can-enter.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { FolderIncomplete } from '../../../node/folder-marker.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { replaceFile } from '../../../node/replace-file.ts'

/**
 * The PostgreSQL database that a data folder uses. It never contains a password. Commands
 * (connection/database-settings.ts) and other versions read the file: fields are added, not renamed.
 */
export interface StoredDatabase {
  readonly url: string
  /** Id in the database itself: a database that was created again under the same URL has another one. */
  readonly id: string
  readonly isolation?: 'locks' | 'serializable'
  readonly isPooled?: boolean
}

/** Returns the file that makes a folder use a PostgreSQL database instead of its SQLite file. */
export const databaseFile = (dataDir: string): string => join(dataDir, dataFiles.postgres)

/** Returns the SQLite file of a folder. */
export const sqliteFile = (dataDir: string): string => join(dataDir, dataFiles.sqlite)

/** Returns the database of a folder; undefined if it uses its SQLite file. @throws Error for a damaged file */
export function readDatabaseFile(dataDir: string): StoredDatabase | undefined {
  let text: string
  try {
    text = readFileSync(databaseFile(dataDir), 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // If the folder itself is inaccessible, opening its data reports the cause.
    if (code === 'ENOENT' || !canEnter(dataDir)) return undefined
    throw Object.assign(new Error(`${databaseFile(dataDir)} cannot be read: ${message}.`), {
      exit: 'internal',
      hint: 'Run the command as the owner of the data folder, or set PARLEY_DATA_DIR to another folder.',
    })
  }
  const found = parse(text)
  if (found) return found
  throw Object.assign(new Error(`${databaseFile(dataDir)} is damaged.`), {
    exit: 'internal',
    hint: 'Copy it back, or delete it and run: parley server start --database <url>, with an address of the same database.',
  })
}

function parse(text: string): StoredDatabase | undefined {
  try {
    const value = parseJson(text) as Partial<StoredDatabase> | null
    return typeof value?.url === 'string' && typeof value.id === 'string' && URL.canParse(value.url)
      ? (value as StoredDatabase)
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the error for a folder that uses PostgreSQL and has lost the address of its database. */
export const addressLost = (dataDir: string): FolderIncomplete =>
  new FolderIncomplete(
    `The data folder ${dataDir} uses a PostgreSQL database, but its address is missing: database.json.`,
    'Copy the file back, or start a server with another address of the same database: parley server start --database <url>. PARLEY_DATABASE has the same effect.',
  )

/** Stores the database of a folder atomically. Only the owner can read the file. */
export function writeDatabaseFile(dataDir: string, database: StoredDatabase): void {
  const text = `${stringifyJson(database, null, 2)}\n`
  replaceFile(databaseFile(dataDir), text)
}
