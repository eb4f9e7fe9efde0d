// The key that seals secrets in the database. It is never in the database, and never replaced while sealed rows exist: they
// could not be opened any more.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { markerName, markFiles, requireFiles } from '../../../node/folder-marker.ts'
import { createFile, replaceFile } from '../../../node/replace-file.ts'
import { VaultError } from '../../services/runtime/vault.ts'
import { DatabaseRefused } from './choose-database.ts'
import type { GivenSecretKey } from './database-settings.ts'

const bytes = 32

/**
 * Returns the key that seals secrets in the database. It is stored in the file `secret.key` of the data folder as 64
 * hexadecimal digits, which only the owner can read. The file is created on first use; if several processes create it
 * at once, one wins. It survives a power failure unless `isDurable` is false. A lost key is created again only with `isReplaced`. Servers that share a database need the same file.
 */
export function loadEncryptionKey(
  dataDir: string,
  { isDurable = true, isReplaced = false }: { readonly isDurable?: boolean; readonly isReplaced?: boolean } = {},
): Buffer {
  const file = join(dataDir, dataFiles.key)
  const found = read(file)
  if (found) return found
  if (!isReplaced) requireFiles(dataDir, dataFiles.key)
  const key = createKeyFile(file, isDurable)
  markFiles(dataDir, [dataFiles.key], { isDurable })
  return key
}

function read(file: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!new RegExp(`^[0-9a-f]{${2 * bytes}}$`).test(text))
    throw new VaultError(
      `The file secret.key in the data folder is damaged. Copy it back from a backup. Without one, rename it and delete ${markerName}: Parley then creates a new key, and you must enter the passwords of SIP trunks again.`,
    )
  return Buffer.from(text, 'hex')
}

function createKeyFile(file: string, isDurable: boolean): Buffer {
  createFile(file, `${crypto().randomBytes(bytes).toString('hex')}\n`, { isDurable })
  return read(file) as Buffer
}

/** Returns the content of the file; null when it does not exist. */
export function readEncryptionKey(dataDir: string): string | null {
  return read(join(dataDir, dataFiles.key))?.toString('hex') ?? null
}

/** Replaces the key of the folder atomically. */
export function replaceEncryptionKey(dataDir: string, text: string): void {
  if (readEncryptionKey(dataDir) === text) return
  replaceFile(join(dataDir, dataFiles.key), `${text}\n`)
}

/** The encryption key of a data folder. */
export interface FolderKey {
  readonly key: Buffer
  /** Removes the key if it was created just now. */
  discard(): void
}

/**
 * Returns the key of the folder, or the given one; undefined if there is neither. @throws DatabaseRefused if they differ,
 * or if the given one is not a key
 */
export function findFolderKey(dataDir: string, given: GivenSecretKey | undefined): FolderKey | undefined {
  const own = readEncryptionKey(dataDir)
  const text = given?.text.trim().toLowerCase() ?? own
  if (text === null) return undefined
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new DatabaseRefused(
      `${given?.source} is not an encryption key of 64 hexadecimal digits.`,
      'Use the content of the file secret.key of the data folder of another server.',
    )
  if (own !== null && own !== text)
    throw new DatabaseRefused(
      `${given?.source} differs from the file secret.key in the data folder ${dataDir}.`,
      `Remove ${given?.source}, or use another data folder (PARLEY_DATA_DIR).`,
    )
  return { key: Buffer.from(text, 'hex'), discard() {} }
}

/** Stores a given key in the folder, if that was asked for. */
export function storeGivenKey(dataDir: string, given: GivenSecretKey | undefined): void {
  if (given?.isStored) createFile(join(dataDir, dataFiles.key), `${given.text.trim().toLowerCase()}\n`)
}

/** Creates the key of the folder. */
export function createFolderKey(dataDir: string): FolderKey {
  return {
    key: loadEncryptionKey(dataDir),
    discard: () => rmSync(join(dataDir, dataFiles.key), { force: true }),
  }
}
