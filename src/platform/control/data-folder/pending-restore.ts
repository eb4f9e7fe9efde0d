// A restore replaces rows in the database and secrets in files. Secrets are saved first, and stored only if the rows of the
// same restore are in the database, so that a crash in between leaves both as before or both restored.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Snapshot } from '../../../contract/control/snapshots.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { sleep } from '../../../node/real-time.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { countRows, readMeta } from '../../store/database/meta.ts'
import { type ControlDeps, readPlatformSeed } from '../sample-data/fill-platform.ts'
import { readCredentials, writeCredentials } from './credentials.ts'
import { readEncryptionKey, replaceEncryptionKey } from './encryption-key.ts'

/**
 * The metadata of a snapshot: what is shown of it, and the secrets that belong to its rows. Snapshots on the disk have
 * it: fields are added, not renamed.
 */
interface SnapshotInfo extends FolderSecrets, Pick<Snapshot, 'saved_at' | 'time' | 'seed' | 'accounts' | 'numbers'> {}

/** Returns the metadata of a snapshot that is saved at a time, ISO 8601. */
export async function createSnapshotInfo(
  { connection, clock, credentials, dataDir }: Pick<ControlDeps, 'connection' | 'clock' | 'credentials' | 'dataDir'>,
  at: string,
): Promise<SnapshotInfo> {
  const { secret, key } = credentials.current
  return {
    saved_at: at,
    time: toIsoMicros(await clock.now()),
    seed: (await readPlatformSeed({ connection })) ?? null,
    accounts: await countRows(connection.read, 'account'),
    numbers: await countRows(connection.read, 'phone_number'),
    secret,
    key,
    seal: readEncryptionKey(dataDir),
  }
}

/** Parses what a snapshot says about itself. Snapshots of earlier versions are read too. */
export const parseSnapshotInfo = (text: string): SnapshotInfo => parseJson(text) as SnapshotInfo

/**
 * Returns the file with the remaining steps of a restore, once its rows are in the database. After a crash, a process of
 * any version finds it: the name never changes.
 */
export const pendingRestoreFile = (dataDir: string): string => join(dataDir, dataFiles.pendingRestore)

/** The secrets that belong to the rows of a platform but are not in its database. */
interface FolderSecrets {
  /** Secret part of the folder's key, and the complete key. */
  readonly secret: string
  readonly key: string | null
  /** Content of `secret.key`; null when it did not exist. */
  readonly seal: string | null
}

/** Key of the row in `meta` that identifies the restore of the current rows. Stored: it never changes. */
export const restoredKey = 'restored'

/** Stores the secrets before the rows are restored, so that they are found after a crash. */
export function beginRestore(dataDir: string, id: string, belongings: FolderSecrets & { readonly pid: number }): void {
  replaceFile(pendingRestoreFile(dataDir), stringifyJson({ id, ...belongings }))
}

/** Cancels a restore before its rows are in the database. */
export const cancelRestore = (dataDir: string): void => rmSync(pendingRestoreFile(dataDir), { force: true })

/** Milliseconds to wait for the restore of another process, and between two checks. */
const restoreTimeoutMs = 15_000
const pollMs = 20

/** Waits for a restore in progress in another process, then reads the credentials again. */
export async function awaitRestore(
  { dataDir, credentials }: Pick<ControlDeps, 'dataDir' | 'credentials'>,
  own: number,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const isUnderWay = (): boolean => {
    const { pid } = read(dataDir) ?? {}
    return pid !== undefined && pid !== own && isAlive(pid)
  }
  for (let waited = 0; waited < restoreTimeoutMs && isUnderWay(); waited += pollMs) await sleep(pollMs)
  credentials.current = readCredentials(dataDir) ?? credentials.current
}

/** Stores the secrets of a restore if the rows in the database belong to it. */
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

/** Another process may have finished the restore and removed the file. */
function read(dataDir: string): (FolderSecrets & { readonly id: string; readonly pid?: number }) | undefined {
  try {
    return parseJson(readFileSync(pendingRestoreFile(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
