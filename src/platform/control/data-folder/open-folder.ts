import { rmSync } from 'node:fs'
import { dataFiles, sqliteEnds } from '../../../node/data-files.ts'
import { hasContent, readMarker, requireFiles } from '../../../node/folder-marker.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import { openStore } from '../../store/database/open-store.ts'
import { StoreError } from '../../store/database/store-error.ts'
import { type Credentials, createCredentials, readCredentials } from './credentials.ts'
import { addressLost, readDatabaseFile, sqliteFile } from './database-file.ts'
import type { DatabaseSettings, GivenSecretKey } from './database-settings.ts'
import { findFolderKey, loadEncryptionKey, storeGivenKey } from './encryption-key.ts'

/** Creates a data folder if it is missing. @throws StoreError */
function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
  } catch (error) {
    const message = `Could not create the data folder ${dataDir}: ${(error as Error).message}.`
    throw new StoreError('unopenable', message, error)
  }
}

/** Options to open the data of a folder. */
export interface OpenFolderOptions {
  readonly dataDir: string
  readonly database?: DatabaseSettings | undefined
  /** Maximum number of 4 KiB pages of the SQLite file. */
  readonly maxPages?: number | undefined
  /** Opens a used folder that has lost its database or encryption key, because they are replaced. */
  readonly acceptsMissingData?: boolean | undefined
  readonly durable?: boolean | undefined
  /** Whether the folder is deleted when it is closed. */
  readonly isTemporary?: boolean | undefined
  /** File in a cache folder that a new SQLite file is copied from. */
  readonly template?: string | undefined
  /** Returns new secrets for a folder without credentials. */
  readonly createSecrets: () => Credentials
  /** Whether the folder stores another URL of the same database, such as one with another user. */
  readonly mayMove: boolean
  /** Version of this program, for the messages of other versions. */
  readonly version?: string | undefined
  readonly log: (text: string) => void
}

/** The open data of a folder. */
export interface OpenedFolder {
  readonly connection: Connection
  readonly credentials: Credentials
  /** Returns the key that seals secrets in the database. */
  readonly encryptionKey: () => Buffer
  /** Stores secrets for the other servers of the database; absent if the database is a file. */
  readonly shareSecrets?: (query: PlatformQuery, vault: Vault, secrets: Credentials) => Promise<void>
}

/**
 * Opens the data of a folder: the PostgreSQL database that it uses, or its SQLite file. Creates the folder, the
 * credentials and the database of a new folder. Files that a used folder must have are required before the database is
 * opened, which would create a missing one. @throws FolderIncomplete, StoreError, DatabaseRefused, InvalidDatabaseUrl
 */
export async function openFolder(options: OpenFolderOptions): Promise<OpenedFolder> {
  const { dataDir, database, maxPages, durable, isTemporary, template, createSecrets } = options
  const isDurable = durable !== false
  makeDataFolder(dataDir)
  const stored = readDatabaseFile(dataDir)
  if (stored || database?.urls?.length) {
    const { openServerDatabase } = await import('./open-server-database.ts')
    const opened = await openServerDatabase(options, stored)
    if (opened) return opened
  }
  if (readMarker(dataDir)?.database !== undefined) throw addressLost(dataDir)
  if (options.acceptsMissingData) removeEmptyDatabase(dataDir)
  else requireFiles(dataDir, dataFiles.sqlite, ...(database?.secretKey ? [] : ([dataFiles.key] as const)))
  const connection = await openStore(
    {
      file: sqliteFile(dataDir),
      ...(maxPages !== undefined && { maxPages }),
      durable: isDurable,
      isTemporary,
      template,
    },
    { version: options.version },
  )
  return {
    connection,
    credentials: readCredentials(dataDir) ?? createCredentials(dataDir, createSecrets(), isDurable),
    encryptionKey: await encryptionKeyOf(dataDir, database?.secretKey, {
      isDurable,
      isReplaced: options.acceptsMissingData === true,
    }),
  }
}

/** Removes an emptied SQLite file with the rest of its log, which cannot be opened without it. */
function removeEmptyDatabase(dataDir: string): void {
  if (hasContent(dataDir, dataFiles.sqlite)) return
  for (const suffix of sqliteEnds) rmSync(`${sqliteFile(dataDir)}${suffix}`, { force: true })
}

async function encryptionKeyOf(
  dataDir: string,
  given: GivenSecretKey | undefined,
  options: { readonly isDurable: boolean; readonly isReplaced: boolean },
): Promise<() => Buffer> {
  if (!given) return () => loadEncryptionKey(dataDir, options)
  const found = findFolderKey(dataDir, given)
  storeGivenKey(dataDir, given)
  return () => found?.key ?? loadEncryptionKey(dataDir, options)
}
