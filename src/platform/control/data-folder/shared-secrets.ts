// How servers with their own data folders share a PostgreSQL database: all must have the same encryption key, and get the same
// secrets, which the first one has stored sealed.

import { randomUUID } from 'node:crypto'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { createVault, keyMark, sealedWith, type Vault } from '../../services/runtime/vault.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import { readMetaValues, writeMeta } from '../../store/database/meta.ts'
import { findSealedTextIn } from '../../store/database/sealed-text.ts'
import { DatabaseRefused } from './choose-database.ts'
import type { Credentials } from './credentials.ts'
import type { GivenSecretKey } from './database-settings.ts'
import { createFolderKey, type FolderKey, findFolderKey, storeGivenKey } from './encryption-key.ts'

// Stored and compared by every server of a database, and skipped by store/transfer/copy-data.ts: these names never change.
/** Key of the row in `meta` with the id of a database. */
export const databaseIdKey = 'database_id'
/** Keys of the rows in `meta` with the check value of the encryption key, and the sealed secrets. */
export const keyCheckKey = 'key_check'
export const credentialsKey = 'credentials'
/** Vault label of the sealed secrets. Stored values open only with it, so it never changes. */
const sealedContext = 'credentials of the database'

/** The secrets that all servers of a database share. */
type SharedSecrets = Pick<Credentials, 'secret' | 'control'>

/** What a data folder gets from its database. */
interface JoinedDatabase {
  readonly id: string
  readonly key: Buffer
  readonly secrets: SharedSecrets
}

/** A folder that joins a database, with the secrets that it would store as the first one. */
interface JoiningFolder {
  readonly dataDir: string
  readonly secretKey: GivenSecretKey | undefined
  readonly secrets: SharedSecrets
}

/** Seals the secrets in the database, in the caller's transaction, for servers that join later. */
export async function storeSharedSecrets(query: PlatformQuery, vault: Vault, secrets: SharedSecrets): Promise<void> {
  await writeMeta(query, credentialsKey, sealSharedSecrets(vault, secrets))
}

/** Seals the secrets of a database. */
export const sealSharedSecrets = (vault: Vault, { secret, control }: SharedSecrets): string =>
  vault.seal(stringifyJson({ secret, control }), sealedContext)

/** Opens the secrets of a database. @throws VaultError */
export const openSharedSecrets = (vault: Vault, sealed: string): SharedSecrets =>
  parseJson(vault.open(sealed, sealedContext)) as SharedSecrets

/**
 * Joins a database with the encryption key of the folder. The first folder stores a check value of its key, and its
 * secrets, sealed. Others must have the same key, and get the secrets. @throws DatabaseRefused without the right key
 */
export async function joinDatabase(connection: Connection, folder: JoiningFolder): Promise<JoinedDatabase> {
  const { dataDir, secretKey, secrets } = folder
  const shared = await readShared(connection.read)
  // After the database: another process of this folder stores the key before it writes to the database.
  const found = findFolderKey(dataDir, secretKey)
  if (shared) {
    const { key } = requireKey(found, (key) => checkValueOf(key) === shared.check, connection, dataDir)
    storeGivenKey(dataDir, secretKey)
    const secrets = openSharedSecrets(
      createVault(() => key),
      shared.sealed,
    )
    return { id: shared.id, key, secrets }
  }
  // A database of an earlier version has no check value, but may have secrets.
  const sealed = await findSealedTextIn(connection.read)
  if (sealed !== undefined) requireKey(found, (key) => keyMark(key) === sealedWith(sealed), connection, dataDir)
  const { key, discard } = found ?? createFolderKey(dataDir)
  const id = await connection.write('everything', async (query) => {
    if (await readShared(query)) return undefined
    const id = (await readMetaValues(query, [databaseIdKey]))[databaseIdKey] ?? randomUUID()
    await writeMeta(query, databaseIdKey, id)
    await writeMeta(query, keyCheckKey, checkValueOf(key))
    await storeSharedSecrets(
      query,
      createVault(() => key),
      secrets,
    )
    return id
  })
  if (id === undefined) {
    // Another server was the first one in the meantime. If it uses this folder, the key is the one that it stored.
    if ((await readShared(connection.read))?.check !== checkValueOf(key)) discard()
    return joinDatabase(connection, folder)
  }
  storeGivenKey(dataDir, secretKey)
  return { id, key, secrets }
}

async function readShared(query: PlatformQuery): Promise<{ id: string; check: string; sealed: string } | undefined> {
  const known = await readMetaValues(query, [databaseIdKey, keyCheckKey, credentialsKey])
  const { [databaseIdKey]: id, [keyCheckKey]: check, [credentialsKey]: sealed } = known
  return id !== undefined && check !== undefined && sealed !== undefined ? { id, check, sealed } : undefined
}

/** Returns a value that only the right key has. Stored and compared by joining servers: it never changes. It does not reveal the key. */
export const checkValueOf = (key: Buffer): string =>
  crypto().createHmac('sha256', key).update('parley-encryption-key-check').digest('hex')

function requireKey(
  found: FolderKey | undefined,
  isRight: (key: Buffer) => boolean,
  { location }: Connection,
  dataDir: string,
): FolderKey {
  if (!found)
    throw new DatabaseRefused(
      `The database ${location} is used by other servers already, and the data folder ${dataDir} does not have their encryption key.`,
      'Copy the file secret.key from the data folder of another server, pass it with "server start --secret-key-file <path>", or set PARLEY_SECRET_KEY to its content.',
    )
  if (!isRight(found.key))
    throw new DatabaseRefused(
      `The database ${location} was encrypted with another key than the one of the data folder ${dataDir}.`,
      'Use the file secret.key of another server of this database, or another data folder (PARLEY_DATA_DIR).',
    )
  return found
}
