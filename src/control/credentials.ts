import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What opens the platform of a data folder: kept in the folder, readable by its owner alone, never in the configuration. */
export interface Credentials {
  /** Secret part of the seeded account's first key. */
  readonly secret: string
  /** The whole key, `<id>|<secret>`, once it is in the database. */
  readonly key: string | null
  /** Opens the control routes. */
  readonly control: string
}

const fileOf = (dataDir: string): string => join(dataDir, 'credentials.json')

export function readCredentials(dataDir: string): Credentials | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const found = parse(text)
  if (found) return found
  throw Object.assign(new Error(`${fileOf(dataDir)} is damaged.`), {
    exit: 'internal',
    hint: 'Move it aside: Parley then makes a new one, and with it a new key for the local platform.',
  })
}

function parse(text: string): Credentials | undefined {
  try {
    const value = JSON.parse(text) as Partial<Credentials> | null
    return typeof value?.secret === 'string' && typeof value.control === 'string' ? ({ ...value, key: value.key ?? null } as Credentials) : undefined
  } catch {
    return undefined
  }
}

/** Makes the credentials unless another process was first: the one file that wins is what everybody reads. */
export function createCredentials(dataDir: string, made: Credentials): Credentials {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${fileOf(dataDir)}.${randomUUID()}`
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, fileOf(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readCredentials(dataDir) as Credentials
}

/** Replaces the credentials whole. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  const draft = `${fileOf(dataDir)}.${randomUUID()}`
  writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, fileOf(dataDir))
}
