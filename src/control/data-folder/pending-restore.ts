import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readMeta } from '../../store/database/meta.ts'
import type { ControlDeps } from '../seed/fill-platform.ts'
import { readCredentials, writeCredentials } from './credentials.ts'
import { replaceEncryptionKey } from './encryption-key.ts'
import { pendingRestoreFile } from './pending-restore-file.ts'

/** What belongs to the rows of a platform and is not in its database. */
export interface FolderSecrets {
  /** Secret part of the folder's key, and the whole of it. */
  readonly secret: string
  readonly key: string | null
  /** The text of `secret.key`; null when there was none yet. */
  readonly seal: string | null
}

/** The row of `meta` that names the restoration the rows are of. */
export const restoredKey = 'restored'

/** Written before the rows are there: whoever finds them after a crash finds what belongs to them. */
export function beginRestore(dataDir: string, id: string, belongings: FolderSecrets & { readonly pid: number }): void {
  const draft = `${pendingRestoreFile(dataDir)}.${id}`
  writeFileSync(draft, JSON.stringify({ id, ...belongings }), { mode: 0o600, flush: true })
  renameSync(draft, pendingRestoreFile(dataDir))
}

/** Gives up a restoration whose rows never came. */
export const cancelRestore = (dataDir: string): void => rmSync(pendingRestoreFile(dataDir), { force: true })

/** Milliseconds another process has to end its restoration, and between two looks. */
const restoreTimeoutMs = 15_000
const pollMs = 20

/** Waits for a restoration of another process that is under way; what it put in place is read again. */
export async function awaitRestore(
  { dataDir, credentials }: Pick<ControlDeps, 'dataDir' | 'credentials'>,
  own: number,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const isUnderWay = (): boolean => {
    const { pid } = read(dataDir) ?? {}
    return pid !== undefined && pid !== own && isAlive(pid)
  }
  for (let waited = 0; waited < restoreTimeoutMs && isUnderWay(); waited += pollMs)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  credentials.current = readCredentials(dataDir) ?? credentials.current
}

/** Puts in place what belongs to the rows, if they are those of the restoration that was begun. */
export async function finishRestore({
  dataDir,
  connection,
  credentials,
}: Pick<ControlDeps, 'dataDir' | 'connection' | 'credentials'>): Promise<void> {
  const pending = read(dataDir)
  if (!pending || (await readMeta(connection.read, restoredKey)) !== pending.id) return
  const { secret, key, seal } = pending
  if (seal !== null) replaceEncryptionKey(dataDir, seal)
  credentials.current = writeCredentials(dataDir, { ...credentials.current, secret, key })
  cancelRestore(dataDir)
}

/** Another process may have finished it meanwhile. */
function read(dataDir: string): (FolderSecrets & { readonly id: string; readonly pid?: number }) | undefined {
  try {
    return JSON.parse(readFileSync(pendingRestoreFile(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
