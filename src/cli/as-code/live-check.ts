import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import { differingFields, type SyncEntry, toRemoteResource } from './compare-folder.ts'
import { fieldDifferences } from './drift.ts'
import type { ResourceNames } from './resource-names.ts'

/**
 * Reads a resource again, and compares it with the version that was compared with its file. @throws ClientFailure
 * `conflict` with the difference if it was changed in between
 */
export async function rejectChangedLive(context: Context, names: ResourceNames, entry: SyncEntry): Promise<void> {
  const { kind, remote } = entry
  if (!remote) return
  const live = await toRemoteResource(names, kind, await kind.get(context, remote.id))
  if (live.hash === remote.hash) return
  const fields = differingFields(kind, remote.content, live.content, [])
  const lines = fieldDifferences({ ...entry, remote, local: live, fields })
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: `The ${kind.singular} was changed remotely during this command and was not sent: ${lines.join(', ')}.`,
  })
}
