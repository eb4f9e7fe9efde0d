// The key of the sample account and the control token of a data folder, with which commands on it authenticate. Servers of
// one database share both (shared-secrets.ts).

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile, replaceFile } from '../../../node/replace-file.ts'
import { hashSecret } from '../../services/runtime/api-keys.ts'

/**
 * Credentials of a data folder. They are stored in a file in the folder that only its owner can read, never in the
 * configuration. Commands (account-cache.ts) and other versions read the file: fields are added, not renamed.
 */
export interface Credentials {
  /** Secret part of the first API key of the sample account. */
  readonly secret: string
  /** The hash of the secret as the database stores it, so that commands in this folder need not compute it. */
  readonly hash?: string
  /** The complete key, `<id>|<secret>`, once it is in the database. */
  readonly key: string | null
  /** Token for the control routes. */
  readonly control: string
  /** API key of the language model's endpoint, or one key for each host. The operator adds it. */
  readonly model_key?: string | Readonly<Record<string, string>>
}

const formatCredentials = (credentials: Credentials): string => `${stringifyJson(credentials, null, 2)}\n`

const credentialsFile = (dataDir: string): string => join(dataDir, dataFiles.credentials)

/** Reads the credentials of a data folder; undefined if it has none. @throws Error for a damaged file */
export function readCredentials(dataDir: string): Credentials | undefined {
  let text: string
  try {
    text = readFileSync(credentialsFile(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const found = parse(text)
  if (found) return found
  throw Object.assign(new Error(`${credentialsFile(dataDir)} is damaged.`), {
    exit: 'internal',
    hint: 'Rename it. Parley then creates a new file with a new key for the local platform.',
  })
}

function parse(text: string): Credentials | undefined {
  try {
    const value = parseJson(text) as Partial<Credentials> | null
    return typeof value?.secret === 'string' && typeof value.control === 'string'
      ? ({ ...value, key: value.key ?? null } as Credentials)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes the credentials unless another process did so first. Returns the credentials in the file, which are the same
 * for all processes.
 */
export function createCredentials(dataDir: string, made: Credentials, isDurable = true): Credentials {
  makeFolder(dataDir)
  const text = formatCredentials({ ...made, hash: hashSecret(made.secret) })
  createFile(credentialsFile(dataDir), text, { isDurable })
  return readCredentials(dataDir) as Credentials
}

/**
 * Replaces the credentials and returns them as stored. Unless `isDurable` is false, this is atomic and survives a power
 * failure.
 */
export function writeCredentials(dataDir: string, credentials: Credentials, isDurable = true): Credentials {
  const stored = { ...credentials, hash: hashSecret(credentials.secret) }
  const file = credentialsFile(dataDir)
  // Replacing a file makes some file systems write it to disk at once.
  if (!isDurable) rmSync(file, { force: true })
  replaceFile(file, formatCredentials(stored), { isDurable })
  return stored
}
