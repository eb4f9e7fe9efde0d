import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../node/crypto.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { hashSecret } from '../../services/runtime/api-keys.ts'

/** What opens the platform of a data folder: kept in the folder, readable by its owner alone, never in the configuration. */
export interface Credentials {
  /** Secret part of the seeded account's first key. */
  readonly secret: string
  /** What the database keeps of the secret, so that a command in this folder need not compute it. */
  readonly hash?: string
  /** The whole key, `<id>|<secret>`, once it is in the database. */
  readonly key: string | null
  /** Opens the control routes. */
  readonly control: string
  /** What opens the endpoint of the language model, or a key for each host; put there by the operator. */
  readonly model_key?: string | Readonly<Record<string, string>>
}

const draftName = (): string => crypto().randomUUID()

const formatCredentials = (credentials: Credentials): string => `${JSON.stringify(credentials, null, 2)}\n`

const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json')

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
    const value = JSON.parse(text) as Partial<Credentials> | null
    return typeof value?.secret === 'string' && typeof value.control === 'string'
      ? ({ ...value, key: value.key ?? null } as Credentials)
      : undefined
  } catch {
    return undefined
  }
}

/** Makes the credentials unless another process was first: the one file that wins is what everybody reads. */
export function createCredentials(dataDir: string, made: Credentials): Credentials {
  makeFolder(dataDir)
  const draft = `${credentialsFile(dataDir)}.${draftName()}`
  writeFileSync(draft, formatCredentials({ ...made, hash: hashSecret(made.secret) }), { mode: 0o600, flush: true })
  try {
    linkSync(draft, credentialsFile(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readCredentials(dataDir) as Credentials
}

/** Replaces the credentials whole; answers them as they are kept. */
export function writeCredentials(dataDir: string, credentials: Credentials): Credentials {
  const stored = { ...credentials, hash: hashSecret(credentials.secret) }
  const draft = `${credentialsFile(dataDir)}.${draftName()}`
  writeFileSync(draft, formatCredentials(stored), { mode: 0o600, flush: true })
  renameSync(draft, credentialsFile(dataDir))
  return stored
}
