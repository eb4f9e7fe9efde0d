import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readMeta } from '../store/meta.ts'
import { writeCredentials } from './credentials.ts'
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
export function beginRestoring(dataDir: string, id: string, belongings: Belongings): void {
  const draft = `${restoringFile(dataDir)}.${id}`
  writeFileSync(draft, JSON.stringify({ id, ...belongings }), { mode: 0o600, flush: true })
  renameSync(draft, restoringFile(dataDir))
}

/** Gives up a restoration whose rows never came. */
export const dropRestoring = (dataDir: string): void => rmSync(restoringFile(dataDir), { force: true })

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
function read(dataDir: string): (Belongings & { readonly id: string }) | undefined {
  try {
    return JSON.parse(readFileSync(restoringFile(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
