import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import { type RemoteResource, type SyncEntry, toRemoteResource } from './compare-folder.ts'
import { fieldDifferences } from './drift.ts'
import { differingFields } from './merge-entry.ts'
import type { ResourceNames } from './resource-names.ts'

/** Returns a sentence for each change of files and resources since a plan was agreed to. */
export function describeEntryChanges(agreed: readonly SyncEntry[], current: readonly SyncEntry[]): string[] {
  const files = [...new Set([...agreed, ...current].map((it) => it.file))]
  return files.flatMap((file) => {
    const [before, after] = [agreed, current].map((all) => all.find((it) => it.file === file))
    const now = after ?? before
    if (!now) return []
    if (!before) return [`${file}: differs now (${now.fields.join(', ') || now.status.replaceAll('_', ' ')})`]
    const local = before.local?.hash === after?.local?.hash ? [] : [`${file}: the local version was changed`]
    if (!after) return [...local, `${file}: does not differ any more`]
    const remote = describeRemoteChanges(now, before.remote, after.remote)
    const isHidden = remote.length === 0 && !isDeepStrictEqual(before.remote?.raw, after.remote?.raw)
    const hidden = isHidden ? ['a value that is not shown was changed'] : []
    return [...local, ...[...remote, ...hidden].map((it) => `${file}: ${it}`)]
  })
}

/** Describes each change of a resource of the platform. */
function describeRemoteChanges(
  entry: SyncEntry,
  before: RemoteResource | undefined,
  after: RemoteResource | undefined,
): string[] {
  if (!before || !after) return before === after ? [] : [`was ${after ? 'created' : 'deleted'} on the platform`]
  const fields = differingFields(entry.kind, before.content, after.content, [])
  return fieldDifferences({ ...entry, remote: before, local: after, fields })
}

/**
 * Reads a resource again, and compares it with the version that was compared with its file. @throws ClientFailure
 * `conflict` with the difference if it was changed in between
 */
export async function rejectChangedLive(context: Context, names: ResourceNames, entry: SyncEntry): Promise<void> {
  const { kind, remote } = entry
  if (!remote) return
  const live = await toRemoteResource(names, kind, await kind.get(context, remote.id))
  const lines = describeRemoteChanges(entry, remote, live)
  if (lines.length === 0) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: `The ${kind.singular} was changed remotely during this command and was not sent: ${lines.join(', ')}.`,
  })
}
