import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isAnyMask } from '../../../client/requests/refuse-masks.ts'
import { findMasks } from '../../../contract/values/mask.ts'
import type { Context } from '../../program/context.ts'
import type { ResourceNames } from '../../program/documents/resource-names.ts'
import { toRemoteResource } from './compare-folder.ts'
import { fieldDifferences } from './drift.ts'
import type { RemoteResource, SyncEntry } from './merge-entry.ts'
import { differingFields } from './merge-entry.ts'

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
    return [...local, ...describeRemoteChanges(now, before.remote, after.remote).map((it) => `${file}: ${it}`)]
  })
}

/** Describes each change of a resource of the platform. A secret that changed is not shown. */
function describeRemoteChanges(
  entry: SyncEntry,
  before: RemoteResource | undefined,
  after: RemoteResource | undefined,
): string[] {
  if (!before || !after) return before === after ? [] : [`was ${after ? 'created' : 'deleted'} on the platform`]
  // Names in the content change with the resources that have them, the resource itself does not.
  if (!isDeepStrictEqual(before.raw, after.raw)) {
    const fields = differingFields(entry.kind, before.content, after.content, [])
    const lines = fieldDifferences({ ...entry, remote: before, local: after, fields })
    return lines.length > 0 ? lines : ['a value that is not shown was changed']
  }
  const hidesSecrets = entry.kind.hiddenSecrets !== undefined || findMasks(after.raw, isAnyMask).length > 0
  return hidesSecrets && before.record.updated_at !== after.record.updated_at
    ? ['it was changed, but no value that is shown: a secret may be another one']
    : []
}

/** Code of the error of a resource that was changed after a plan was agreed to. */
export const changedLiveCode = 'changed_since'

/**
 * Reads a resource again, and compares it with the version that was compared with its file. @throws ClientFailure
 * `conflict` with the difference if it was changed in between
 */
export async function rejectChangedLive(context: Context, names: ResourceNames, entry: SyncEntry): Promise<void> {
  const { kind, remote } = entry
  if (!remote) return
  let live: RemoteResource | undefined
  try {
    live = await toRemoteResource(names, kind, await kind.get(context, remote.id))
  } catch (error) {
    if ((error as ClientFailure).exit !== 'not_found') throw error
  }
  const lines = describeRemoteChanges(entry, remote, live)
  if (lines.length === 0) return
  throw new ClientFailure({
    exit: 'conflict',
    code: changedLiveCode,
    message: `The ${kind.singular} was changed remotely during this command and was not sent: ${lines.join(', ')}.`,
  })
}
