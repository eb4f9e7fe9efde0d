import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFile } from '../../../node/replace-file.ts'
import { DatabaseRefused } from './choose-database.ts'
import type { GivenSecretKey } from './database-settings.ts'
import { loadEncryptionKey, readEncryptionKey } from './encryption-key.ts'

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
  if (given?.isStored) createFile(join(dataDir, 'secret.key'), `${given.text.trim().toLowerCase()}\n`)
}

/** Creates the key of the folder. */
export function createFolderKey(dataDir: string): FolderKey {
  return {
    key: loadEncryptionKey(dataDir),
    discard: () => rmSync(join(dataDir, 'secret.key'), { force: true }),
  }
}
