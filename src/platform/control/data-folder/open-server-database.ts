import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { markPlatform, readMarker } from '../../../node/folder-marker.ts'
import { stringifyJson } from '../../../node/json.ts'
import { importSheets } from '../../providers/integrations/import-sheets.ts'
import { hashSecret, toToken } from '../../services/runtime/api-keys.ts'
import { findKeyByHash, findKeyOfHash } from '../../store/accounts/accounts.ts'
import type { Connection } from '../../store/database/connection.ts'
import { readMetaValues } from '../../store/database/meta.ts'
import { openStore } from '../../store/database/open-store.ts'
import { type ChosenDatabase, chooseDatabase, DatabaseRefused, toStored } from './choose-database.ts'
import { type Credentials, createCredentials, readCredentials, writeCredentials } from './credentials.ts'
import { type StoredDatabase, writeDatabaseFile } from './database-file.ts'
import type { OpenedFolder, OpenFolderOptions } from './open-folder.ts'
import { databaseIdKey, joinDatabase, storeSharedSecrets } from './shared-secrets.ts'

/**
 * Opens the PostgreSQL database of a folder, and stores in the folder that it uses it. Returns undefined if the folder
 * uses its SQLite file. @throws DatabaseRefused if the settings contradict the folder, InvalidDatabaseUrl, StoreError
 */
export async function openServerDatabase(
  { dataDir, database = {}, createSecrets, log, mayMove, version }: OpenFolderOptions,
  stored: StoredDatabase | undefined,
): Promise<OpenedFolder | undefined> {
  const chosen = chooseDatabase(dataDir, database, stored, log)
  if (!chosen) return undefined
  const connection = await openStore(
    { url: chosen.url.href, options: chosen.options },
    {
      version,
      check: async (connection) => {
        await requireOwnIdentity(connection, dataDir, chosen)
        await requireMigratedData(connection, dataDir, chosen)
      },
    },
  )
  try {
    const own = readCredentials(dataDir) ?? createCredentials(dataDir, createSecrets())
    const { id, key, secrets } = await joinDatabase(connection, {
      dataDir,
      secretKey: database.secretKey,
      secrets: own,
    })
    const remembered = toStored(chosen, id)
    if (!stored || (mayMove && stringifyJson(stored) !== stringifyJson(remembered)))
      writeDatabaseFile(dataDir, remembered)
    markPlatform(dataDir, id)
    if (chosen.replacesSqlite)
      log(
        `The data folder ${dataDir} uses the database ${connection.location} now. Its file platform.db is not used any more.`,
      )
    await shareSpreadsheets(connection, dataDir, log)
    const isShared = own.secret === secrets.secret && own.control === secrets.control
    return {
      connection,
      credentials: isShared ? own : await adoptSecrets(connection, dataDir, { ...own, ...secrets }),
      encryptionKey: () => key,
      shareSecrets: storeSharedSecrets,
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Copies spreadsheets of the folder to the database, where other servers see them. */
async function shareSpreadsheets(connection: Connection, dataDir: string, log: (text: string) => void): Promise<void> {
  if (!existsSync(join(dataDir, 'spreadsheets'))) return
  for (const sheet of await importSheets(connection, dataDir, log))
    log(`${sheet} was copied to the database. Later changes of the file are ignored.`)
}

/** Stores the shared secrets in the folder, with the complete key, if it was not deleted. */
async function adoptSecrets(connection: Connection, dataDir: string, credentials: Credentials): Promise<Credentials> {
  const row = await findKeyOfHash(connection, hashSecret(credentials.secret))
  return writeCredentials(dataDir, { ...credentials, key: row ? toToken(row.id, credentials.secret) : null })
}

/**
 * Refuses a database that does not have the data of the folder's SQLite file, before its schema is changed: its API key
 * is only in a copy of it.
 */
async function requireMigratedData(
  connection: Connection,
  dataDir: string,
  { replacesSqlite: source }: ChosenDatabase,
): Promise<void> {
  if (source === undefined) return
  const secret = readCredentials(dataDir)?.secret
  const key = secret && (await findKeyByHash(connection.read, hashSecret(secret)).catch(undefinedForMissingTable))
  if (key) return
  throw new DatabaseRefused(
    `The data folder ${dataDir} has its data in SQLite, but ${source} names the PostgreSQL database ${connection.location}, which does not have this data.`,
    `Remove ${source}, or use another data folder (PARLEY_DATA_DIR). To copy the data: parley server migrate --to <url>.`,
  )
}

/** No such table: the database is empty. */
function undefinedForMissingTable(error: Error): undefined {
  if ('code' in error && error.code === '42P01') return undefined
  throw error
}

/** Refuses another database under the URL that the folder has stored, before its schema is changed. */
async function requireOwnIdentity(connection: Connection, dataDir: string, { stored }: ChosenDatabase): Promise<void> {
  const known = stored?.id ?? readMarker(dataDir)?.database
  if (known === undefined) return
  const found = await readMetaValues(connection.read, [databaseIdKey]).catch(undefinedForMissingTable)
  if (found?.[databaseIdKey] === known) return
  throw new DatabaseRefused(
    `The database ${connection.location} is not the one that the data folder ${dataDir} has used. It was created again or replaced.`,
    'Restore its backup. To use this database, use another data folder (PARLEY_DATA_DIR).',
  )
}
