// Compares one file with one resource and with their state at the last sync. Pure: reading is in compare-folder.ts. The
// hashes of contents are saved in `parley.lock.json`, which users commit: the same content must have the same hash.

import { isDeepStrictEqual } from 'node:util'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { groupBy } from '../../program/dependencies/item-index.ts'
import { keepLocalReferences, maskSecrets } from '../../program/documents/environment-secrets.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import { mask } from '../../program/secrets/masked-values.ts'
import { mergeRecords, type RecordMerge } from '../../program/updates/merge-records.ts'
import type { SyncRecord } from './sync-lock.ts'

/**
 * Hash of content that the platform does not have as a whole: it did not take a field, or references were held back. It
 * differs from the hash of every content, so the next push sends the file again. Lock files have it.
 */
export const notTaken = ''

/** One side of a comparison: the content of the file and the hash of its canonical text. */
export interface SyncSide {
  /** Hash of the content, or `notTaken`. */
  readonly hash: string
  /** Name of the resource. */
  readonly name: string
  readonly content: Readonly<Record<string, unknown>>
}

interface RemoteSide extends SyncSide {
  readonly id: number | string
}

/**
 * State of a file and its resource, compared with the last sync. Scripts and JUnit reports have the words: they are added, not
 * renamed.
 */
export type SyncStatus =
  | 'same'
  | 'local_only'
  | 'changed_locally'
  | 'deleted_locally'
  | 'remote_only'
  | 'changed_remotely'
  | 'deleted_remotely'
  /** Both changed, in different fields. */
  | 'changed_both'
  | 'conflict'

/** A file, the resource that belongs to it, and how they differ. One of the two may be missing. */
export interface SyncItem<R extends RemoteSide = RemoteSide> {
  readonly file: string
  /** The file name at the last sync, if the file was renamed since. */
  readonly renamedFrom?: string
  readonly id: number | string | null
  readonly name: string
  readonly status: SyncStatus
  readonly local: SyncSide | undefined
  readonly remote: R | undefined
}

/** State of files and resources at the last sync. */
interface SyncState {
  readonly files: readonly string[]
  of(file: string): SyncRecord | undefined
}

/**
 * Compares files with a platform in a three-way comparison.
 *
 * Resources that were never synced are matched by name. A new file is matched with the resource of the same name whose
 * file is missing: the file was renamed. `fileFor` returns the file name of a resource without a file. `isEqual`
 * compares a file and a resource that were never synced.
 */
export function compare<R extends RemoteSide>(
  files: ReadonlyMap<string, SyncSide>,
  remotes: readonly R[],
  lock: SyncState,
  fileFor: (remote: R, taken: ReadonlySet<string>) => string,
  isEqual: (localSide: SyncSide, remoteSide: R) => boolean = (here, there) => here.hash === there.hash,
): SyncItem<R>[] {
  const taken = new Set([...files.keys(), ...lock.files])
  const ids = new Set(remotes.map((it) => String(it.id)))
  const fileOf = new Map<string, string>()
  for (const file of lock.files) fileOf.set(String(lock.of(file)?.id), file)
  const isKnown = (file: string): boolean => ids.has(String(lock.of(file)?.id))
  const renamed = renames(files, remotes, lock, fileOf)
  const moved = new Set(renamed.values())
  const filesNamed = groupBy([...files.keys()], (file) => files.get(file)?.name ?? '')
  const items: SyncItem<R>[] = []
  const seen = new Set<string>()
  for (const remoteSide of remotes) {
    const knownFile = fileOf.get(String(remoteSide.id))
    const sameName = (filesNamed.get(remoteSide.name) ?? []).filter(
      (file) => !isKnown(file) && !seen.has(file) && !moved.has(file),
    )
    const renamedTo = knownFile === undefined ? undefined : renamed.get(knownFile)
    const file =
      renamedTo ?? knownFile ?? (sameName.length === 1 ? (sameName[0] as string) : fileFor(remoteSide, taken))
    taken.add(file)
    seen.add(file)
    const localSide = files.get(file)
    const status = syncStatus(localSide, remoteSide, knownFile === undefined ? undefined : lock.of(knownFile), isEqual)
    items.push({
      file,
      ...(renamedTo !== undefined && { renamedFrom: knownFile as string }),
      id: remoteSide.id,
      name: remoteSide.name,
      local: localSide,
      remote: remoteSide,
      status,
    })
  }
  for (const file of new Set([...files.keys(), ...lock.files])) {
    if (seen.has(file)) continue
    const localSide = files.get(file)
    const synced = lock.of(file)
    if (!localSide) continue
    const status = !synced ? 'local_only' : localSide.hash === synced.here ? 'deleted_remotely' : 'conflict'
    items.push({
      file,
      id: synced?.id ?? null,
      name: localSide.name,
      local: localSide,
      remote: undefined,
      status,
    })
  }
  return items.sort((a, b) => (a.file < b.file ? -1 : 1))
}

/**
 * Returns the old and new paths of renamed files: a missing file and a new one that are the only ones with the same
 * name.
 */
function renames(
  files: ReadonlyMap<string, SyncSide>,
  remotes: readonly RemoteSide[],
  lock: SyncState,
  fileOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const added = groupBy(
    [...files].filter(([file]) => !lock.of(file)),
    ([, { name }]) => name,
  )
  const deleted = remotes.flatMap(({ id, name }) => {
    const file = fileOf.get(String(id))
    return file !== undefined && !files.has(file) ? [{ file, name }] : []
  })
  const deletedNamed = groupBy(deleted, ({ name }) => name)
  return new Map(
    deleted.flatMap(({ file, name }): [string, string][] => {
      const [to, ...others] = added.get(name) ?? []
      return to && others.length === 0 && deletedNamed.get(name)?.length === 1 ? [[file, to[0]]] : []
    }),
  )
}

function syncStatus<R extends RemoteSide>(
  localSide: SyncSide | undefined,
  remoteSide: R,
  synced: SyncRecord | undefined,
  isEqual: (here: SyncSide, there: R) => boolean,
): SyncStatus {
  if (!synced) return !localSide ? 'remote_only' : isEqual(localSide, remoteSide) ? 'same' : 'conflict'
  const isRemoteChanged = remoteSide.hash !== synced.there
  if (!localSide) return isRemoteChanged ? 'conflict' : 'deleted_locally'
  const isLocalChanged = localSide.hash !== synced.here
  if (isLocalChanged && isRemoteChanged) return localSide.hash === remoteSide.hash ? 'same' : 'conflict'
  return isLocalChanged ? 'changed_locally' : isRemoteChanged ? 'changed_remotely' : 'same'
}

/** Returns the part of a content that both sides have. */
export function comparableContent(kind: ResourceFiles, content: ResourceRecord): ResourceRecord {
  const { hiddenSecrets = [] } = kind
  const shown = kind.comparable?.(content) ?? content
  return hiddenSecrets.length === 0
    ? shown
    : Object.fromEntries(Object.entries(shown).filter(([name]) => !hiddenSecrets.includes(name)))
}

const comparableText = (it: unknown): string => stringifyJson(maskSecrets(it)) ?? ''

/**
 * Returns the names of differing fields, with secrets masked. Fields in `omits` that the file does not have are
 * ignored.
 */
export function differingFields(
  kind: ResourceFiles,
  localFields: ResourceRecord,
  remoteFields: ResourceRecord,
  omits: readonly string[] = Object.keys(remoteFields),
): string[] {
  const [localContent, remoteContent] = [comparableContent(kind, localFields), comparableContent(kind, remoteFields)]
  const isOmitted = (name: string): boolean => !Object.hasOwn(localContent, name) && omits.includes(name)
  return [...new Set([...Object.keys(localContent), ...Object.keys(remoteContent)])].filter(
    (name) => !isOmitted(name) && comparableText(localContent[name]) !== comparableText(remoteContent[name]),
  )
}

type Mergeable = Pick<SyncEntry, 'kind' | 'local' | 'remote' | 'base' | 'unchanged' | 'unclearSecrets'>

/**
 * Merges the changes of a file and of its resource since the last sync, field by field. A conflict has the value of the
 * preferred side. Undefined if the content at the last sync is unknown.
 */
export function mergeEntry(
  { kind, local, remote, base, unchanged = [], unclearSecrets = [] }: Mergeable,
  prefers: 'mine' | 'theirs' = 'mine',
): RecordMerge | undefined {
  if (!local || !remote || !base) return undefined
  const { split, join, isWhole = () => false } = kind.merging ?? {}
  const part = (content: ResourceRecord): ResourceRecord => {
    const compared = comparableContent(kind, content)
    return split?.(compared) ?? compared
  }
  const mine = { ...local.content, ...Object.fromEntries(unchanged.map((name) => [name, base[name]])) }
  const merge = mergeRecords(part(base), part(mine), part(remote.content), {
    prefers,
    isWhole,
    isSame: (one, other) => isDeepStrictEqual(maskSecrets(one) ?? null, maskSecrets(other) ?? null),
  })
  const merged = join?.(merge.merged, part(prefers === 'mine' ? mine : remote.content)) ?? merge.merged
  const hidden = Object.fromEntries(
    (kind.hiddenSecrets ?? []).flatMap((name) =>
      local.content[name] === undefined ? [] : [[name, local.content[name]]],
    ),
  )
  const whole = { ...(kind.keepLocalParts?.(merged, local.content) ?? merged), ...hidden }
  const adopted = merge.adopted.filter(({ path }) => !unchanged.includes(path.split('.', 1)[0] as string))
  const secrets = unclearSecrets.map((path) => ({ path, base: mask, theirs: mask, mine: mask }))
  const conflicts = [...merge.conflicts, ...secrets]
  return { ...merge, conflicts, adopted, merged: keepLocalReferences(whole, local.content) as ResourceRecord }
}

/** A file and its resource, with their kind. */
export interface SyncEntry extends SyncItem<RemoteResource> {
  readonly kind: ResourceFiles
  /** Fields in which the two differ. */
  readonly fields: readonly string[]
  /** The content at the last sync, if it is known. */
  readonly base?: ResourceRecord
  /** Fields that count as unchanged in the file: those it leaves out, and those that are skipped. */
  readonly unchanged?: readonly string[]
  /** The local side before the changes of the platform were merged into it. */
  readonly source?: SyncSide
  readonly merge?: RecordMerge
  /**
   * Paths of secrets that differ from the environment, of a resource that was changed since the last sync in no value
   * that is compared. Both may have changed them.
   */
  readonly unclearSecrets?: readonly string[]
}

/** A resource of the platform, with the fields that it shows unmasked. */
export interface RemoteResource extends RemoteSide {
  /** Content of its file, with ids and secrets. */
  readonly raw: ResourceRecord
  /** The resource as the platform returned it. */
  readonly record: ResourceRecord
}
