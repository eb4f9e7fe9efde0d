import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile } from '../../../node/replace-file.ts'
import { hashSecret } from '../../services/runtime/api-keys.ts'
import { createVault, keyMark, sealedWith } from '../../services/runtime/vault.ts'
import type { TransferSide } from '../../store/transfer/transfer-side.ts'
import { DatabaseRefused } from '../data-folder/choose-database.ts'
import { type Credentials, createCredentials, readCredentials, writeCredentials } from '../data-folder/credentials.ts'
import type { GivenSecretKey } from '../data-folder/database-settings.ts'
import { createFolderKey, type FolderKey, findFolderKey } from '../data-folder/encryption-key.ts'
import {
  checkValueOf,
  credentialsKey,
  databaseIdKey,
  keyCheckKey,
  openSharedSecrets,
  sealSharedSecrets,
} from '../data-folder/shared-secrets.ts'

/** A migration or backup that cannot be made as asked. Nothing was changed. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused'
  readonly exit: 'usage' | 'conflict'
  readonly hint: string

  constructor(exit: 'usage' | 'conflict', message: string, hint: string) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}

/** What rows of a database need outside of it. */
interface TransferSecrets {
  readonly key: FolderKey | undefined
  /** Credentials of the database; undefined if they are those of the data folder. */
  readonly credentials: Credentials | undefined
}

/** Tables and columns with sealed texts. */
const sealedColumns = [
  ['sip_trunk', 'sip_password'],
  ['webhook_secret', 'secret'],
  ['automation_connection', 'secret'],
  ['sender', 'webhook_secret'],
  ['automation_version', 'definition'],
  ['tool', 'endpoint'],
  ['tool', 'headers'],
  ['tool', 'static_fields'],
  ['idempotency', 'body'],
] as const

async function findSealed(source: TransferSide): Promise<string | undefined> {
  for (const [table, column] of sealedColumns) {
    const [row] = await source.query(`select ${column} as text from ${table} where ${column} like 'v1.%' limit 1`)
    if (row) return String(row.text)
  }
  // Only the keys of calendars are sealed in the settings of an assistant.
  const [row] = await source.query(
    `select settings as text from assistant where settings like '%_api_key":"v1.%' limit 1`,
  )
  return /"cal_[ab]_api_key":"(v1\.[^"]+)"/.exec(String(row?.text))?.[1]
}

async function readMeta(source: TransferSide, key: string): Promise<string | undefined> {
  const [row] = await source.query('select value from meta where key = ?1', [key])
  return row && String(row.value)
}

/**
 * Finds the encryption key and the credentials of a source. Throws DatabaseRefused if the source was encrypted with
 * another key than the one of the data folder or the given one.
 */
export async function findSecrets(
  source: TransferSide,
  { dataDir, given }: { readonly dataDir: string; readonly given: GivenSecretKey | undefined },
): Promise<TransferSecrets> {
  const key = findFolderKey(dataDir, given)
  const check = source.dialect === 'postgres' ? await readMeta(source, keyCheckKey) : undefined
  const sealed = await findSealed(source)
  const isNeeded = check !== undefined || sealed !== undefined
  const isRight = (folder: FolderKey): boolean =>
    check === undefined ? keyMark(folder.key) === sealedWith(String(sealed)) : checkValueOf(folder.key) === check
  if (isNeeded && !(key && isRight(key)))
    throw new DatabaseRefused(
      key
        ? `${source.location} was encrypted with another key than the one of the data folder ${dataDir}.`
        : `${source.location} has encrypted secrets, and the data folder ${dataDir} has no encryption key.`,
      'Pass the file secret.key that belongs to the data with --secret-key-file, with a data folder that has no other key (PARLEY_DATA_DIR).',
    )
  const shared = key && check !== undefined ? await readMeta(source, credentialsKey) : undefined
  if (!key || shared === undefined) return { key, credentials: undefined }
  const secrets = openSharedSecrets(
    createVault(() => key.key),
    shared,
  )
  const own = readCredentials(dataDir)
  if (own?.secret === secrets.secret && own.control === secrets.control) return { key, credentials: undefined }
  const [row] = await source.query('select id from api_key where hash = ?1', [hashSecret(secrets.secret)])
  return { key, credentials: { ...secrets, key: row ? `${row.id}|${secrets.secret}` : null } }
}

/**
 * Stores the secrets of a source in the folder of the target. Throws TransferRefused, before anything is stored, if that
 * folder has others.
 */
export function storeSecrets(
  { key, credentials }: TransferSecrets,
  folders: { readonly from: string; readonly to: string; readonly given: GivenSecretKey | undefined },
): void {
  const { from, to, given } = folders
  const conflict = (name: string): TransferRefused =>
    new TransferRefused(
      'conflict',
      `The folder ${to} has its own ${name}, which does not belong to the data.`,
      'Choose an empty folder with --to.',
    )
  const text = key?.key.toString('hex')
  const own = readText(join(to, 'secret.key'))?.trim()
  if (own !== undefined && text !== undefined && own !== text) throw conflict('secret.key')
  const found = readCredentials(to)
  // Another server may have replaced the secrets that the folder has stored.
  if (found && from === to) return void (credentials && writeCredentials(to, { ...found, ...credentials }))
  const needed = credentials ?? readCredentials(from)
  if (found && needed && (found.secret !== needed.secret || found.control !== needed.control))
    throw conflict('credentials.json')
  makeFolder(to)
  // A key of the environment is not stored.
  if (text !== undefined && own === undefined && given?.isStored !== false)
    createFile(join(to, 'secret.key'), `${text}\n`)
  if (found) return
  if (credentials) createCredentials(to, credentials)
  else if (needed) createFile(join(to, 'credentials.json'), readFileSync(join(from, 'credentials.json'), 'utf8'))
}

/**
 * Stores in the target, in PostgreSQL, what a data folder that joins it needs: the id of the database, a check value of
 * the encryption key and the sealed credentials. Returns the id.
 */
export async function shareSecrets(
  target: TransferSide,
  { dataDir, secrets }: { readonly dataDir: string; readonly secrets: TransferSecrets },
): Promise<string> {
  const { key } = secrets.key ?? createFolderKey(dataDir)
  const credentials = secrets.credentials ?? readCredentials(dataDir)
  const values: Record<string, string> = {
    [databaseIdKey]: crypto().randomUUID(),
    [keyCheckKey]: checkValueOf(key),
    ...(credentials && {
      [credentialsKey]: sealSharedSecrets(
        createVault(() => key),
        credentials,
      ),
    }),
  }
  for (const [name, value] of Object.entries(values))
    await target.query('insert into meta (key, value) values (?1, ?2) on conflict (key) do nothing', [name, value])
  return String(await readMeta(target, databaseIdKey))
}

const readText = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
