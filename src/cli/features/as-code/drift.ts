import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isAnyMask } from '../../../client/requests/require-no-masks.ts'
import { findMasks } from '../../../contract/values/mask.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import type { ResourceNames } from '../../program/documents/resource-names.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import { type LostValue, lostValueLines } from '../../program/updates/text-difference.ts'
import { differingFields, type RemoteResource, type SyncEntry } from './compare.ts'
import { compareFolder, type Layout, toRemoteResource } from './compare-folder.ts'

/**
 * Returns whether a push would change the platform because of an entry, or refuse it. A resource without a file counts
 * only with `prunes`. It decides what a push writes, and with it the exit code of `push --check`.
 */
export function needsPush({ kind, status, fields }: SyncEntry, prunes: boolean): boolean {
  if (status === 'same') return false
  if (status === 'remote_only' || status === 'deleted_locally') return prunes && kind.remove !== undefined
  // The changes may be in fields that the file does not have.
  return status !== 'changed_remotely' || fields.length > 0
}

/** Whether a terminal asks despite `--yes`, because what was agreed to has changed. */
export interface AskedAgain {
  readonly isAskedAgain: boolean
}

/** Describes each differing field as a change from the platform to the file, of a document by its parts. Secrets are not shown. */
export function fieldDifferences({ kind, fields, local, remote }: SyncEntry): string[] {
  if (!local || !remote) return []
  return fields.flatMap((name) => changeLines(kind, name, remote.content[name], local.content[name]))
}

/** Describes a change of one field; of a document, each part that changed. Secrets are not shown. */
export function changeLines(kind: ResourceFiles, name: string, before: unknown, after: unknown): string[] {
  const parts = kind.describeChange?.(name, before, after) ?? []
  const lines = parts.length > 0 ? parts : describeChanges({ [name]: before ?? null }, { [name]: after ?? null })
  return lines.length > 0 ? lines : [`${name}: the secret in the environment differs`]
}

/** Describes a value that is overwritten, in full; of a document, each part that changed. */
export function lostChangeLines({ file, kind }: SyncEntry, { path, ...value }: LostValue): string[] {
  const parts = kind.describeChange?.(path, value.lost, value.replacement, true) ?? []
  return parts.length > 0
    ? [`${file}: ${path}:`, ...parts.map((it) => `  ${it}`)]
    : lostValueLines({ path: `${file}: ${path}`, ...value })
}

/**
 * Returns resources that were changed or deleted only on the platform since the last sync. A push overwrites these
 * changes.
 */
export const findDrift = (written: readonly SyncEntry[]): SyncEntry[] =>
  written.filter(({ status }) => status === 'changed_remotely' || status === 'deleted_remotely')

/** Prints drift with the values of both sides. It is printed with `--quiet` too, because `--yes` overwrites it. */
export async function noteDrift({ notes }: Context, drift: readonly SyncEntry[]): Promise<void> {
  if (drift.length === 0) return
  const lines = drift.flatMap((entry) =>
    entry.remote ? driftLines(entry) : [`${entry.file}: deleted remotely, will be created again with a new id`],
  )
  await notes.warn(['Remote changes since the last sync (platform -> file):', ...lines].join('\n'))
}

const driftLines = (entry: SyncEntry): string[] =>
  entry.fields.flatMap((path) =>
    lostChangeLines(entry, {
      path,
      lost: entry.remote?.content[path],
      replacement: entry.local?.content[path],
      verb: '->',
    }),
  )

/** Asks for confirmation to overwrite changes on the platform. @throws ClientFailure exit 10 without confirmation */
export async function confirmOverwrite(
  context: Context,
  drift: readonly SyncEntry[],
  pull: string,
  again: AskedAgain,
): Promise<void> {
  if (drift.length === 0) return
  const files = drift
    .map(({ file, remote, fields }) => `${file} (${remote ? fields.join(', ') : 'deleted'})`)
    .join(', ')
  await requireConfirmation(
    context,
    {
      question: `Overwrite the remote changes of ${files}? To keep them, answer no and run ${pull}.`,
      refusalMessage: `Overwriting remote changes requires confirmation: ${files}. To keep them: ${pull}.`,
    },
    again,
  )
}

/** Compares the platform again after a push. Returns whether it still differs from the files, and warns if so. */
export async function isDifferentAfterPush(
  context: Context,
  folder: string,
  layout: Layout,
  compared: readonly SyncEntry[],
  diff: string,
): Promise<boolean> {
  const pushedLayout = layout.filter(([, kind]) => compared.some((it) => it.kind === kind && it.local))
  const { entries } = await compareFolder(context, folder, pushedLayout, true)
  const left = entries.filter((it) => needsPush(it, false))
  if (left.length === 0) return false
  const files = left.map(({ file, fields }) => (fields.length > 0 ? `${file} (${fields.join(', ')})` : file)).join(', ')
  await context.notes.warn(
    `After the push, the platform still differs from the files: ${files}. Show the differences: ${diff}`,
  )
  return true
}

/**
 * Returns a sentence for each change of files and resources since a plan was agreed to. Push, promotion and its undo take an empty
 * result as "what was agreed to still holds", and ask again otherwise: what is omitted here is sent without a question.
 */
export function describeEntryChanges(agreed: readonly SyncEntry[], current: readonly SyncEntry[]): string[] {
  const byFile = (all: readonly SyncEntry[]): Map<string, SyncEntry> => new Map(all.map((it) => [it.file, it]))
  const [agreedOf, currentOf] = [byFile(agreed), byFile(current)]
  return [...new Set([...agreedOf.keys(), ...currentOf.keys()])].flatMap((file) => {
    const [before, after] = [agreedOf.get(file), currentOf.get(file)]
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

/** Code of the error of a resource that was changed after a plan was agreed to. Scripts read it. */
export const changedLiveCode = 'changed_since'

/**
 * Reads a resource again, and compares it with the version that was compared with its file. @throws ClientFailure
 * `conflict` with the difference if it was changed in between
 */
export async function requireUnchangedLive(context: Context, names: ResourceNames, entry: SyncEntry): Promise<void> {
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
