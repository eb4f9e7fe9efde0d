import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readMeta } from '../store/meta.ts'
import { readCredentials, writeCredentials } from './credentials.ts'
import { restoringFile } from './restoring-file.ts'
import { replaceSecretKey } from './secret-key.ts'
import type { WorldDeps } from './world.ts'

/** What belongs to the rows of a platform and is not in its database. */
export interface Belongings {
  /** Secret part of the folder's key, and the whole of it. */
  readonly secret: string
  readonly key: string | null
  /** The text of `secret.key`; null when there was none yet. */
  readonly seal: string | null
}

/** The row of `meta` that names the restoration the rows are of. */
export const restoredKey = 'restored'

/** Written before the rows are there: whoever finds them after a crash finds what belongs to them. */
export function beginRestoring(dataDir: string, id: string, belongings: Belongings & { readonly pid: number }): void {
  const draft = `${restoringFile(dataDir)}.${id}`
  writeFileSync(draft, JSON.stringify({ id, ...belongings }), { mode: 0o600, flush: true })
  renameSync(draft, restoringFile(dataDir))
}

/** Gives up a restoration whose rows never came. */
export const dropRestoring = (dataDir: string): void => rmSync(restoringFile(dataDir), { force: true })

/** Milliseconds another process has to end its restoration, and between two looks. */
const patienceMs = 15_000
const lookMs = 20

/** Waits for a restoration of another process that is under way; what it put in place is read again. */
export async function awaitRestoring(
  { dataDir, credentials }: Pick<WorldDeps, 'dataDir' | 'credentials'>,
  own: number,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const isUnderWay = (): boolean => {
    const { pid } = read(dataDir) ?? {}
    return pid !== undefined && pid !== own && isAlive(pid)
  }
  for (let waited = 0; waited < patienceMs && isUnderWay(); waited += lookMs) await new Promise((resolve) => setTimeout(resolve, lookMs))
  credentials.current = readCredentials(dataDir) ?? credentials.current
}

/** Puts in place what belongs to the rows, if they are those of the restoration that was begun. */
export async function finishRestoring({ dataDir, connection, credentials }: Pick<WorldDeps, 'dataDir' | 'connection' | 'credentials'>): Promise<void> {
  const begun = read(dataDir)
  if (!begun || (await readMeta(connection.read, restoredKey)) !== begun.id) return
  const { secret, key, seal } = begun
  if (seal !== null) replaceSecretKey(dataDir, seal)
  credentials.current = writeCredentials(dataDir, { ...credentials.current, secret, key })
  dropRestoring(dataDir)
}

/** Another process may have finished it meanwhile. */
function read(dataDir: string): (Belongings & { readonly id: string; readonly pid?: number }) | undefined {
  try {
    return JSON.parse(readFileSync(restoringFile(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
