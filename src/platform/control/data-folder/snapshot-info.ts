import type { Snapshot } from '../../../contract/control/snapshots.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { countRows } from '../../store/database/meta.ts'
import { type ControlDeps, readPlatformSeed } from '../sample-data/fill-platform.ts'
import { readEncryptionKey } from './encryption-key.ts'
import type { FolderSecrets } from './pending-restore.ts'

/** The metadata of a snapshot: what is shown of it, and the secrets that belong to its rows. */
export interface SnapshotInfo
  extends FolderSecrets,
    Pick<Snapshot, 'saved_at' | 'time' | 'seed' | 'accounts' | 'numbers'> {}

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

export const parseSnapshotInfo = (text: string): SnapshotInfo => parseJson(text) as SnapshotInfo
