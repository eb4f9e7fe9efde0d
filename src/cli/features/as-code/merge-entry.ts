import { isDeepStrictEqual } from 'node:util'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { keepLocalReferences, maskSecrets } from '../../program/documents/environment-secrets.ts'
import type { FileKind } from '../../program/resources/file-kind.ts'
import { mask } from '../../program/secrets/masked-values.ts'
import { mergeRecords, type RecordMerge } from '../../program/updates/merge-records.ts'
import type { RemoteSide, SyncItem, SyncSide } from './compare.ts'

/** Returns the part of a content that both sides have. */
export function comparableContent(kind: FileKind, content: ResourceRecord): ResourceRecord {
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
  kind: FileKind,
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
  readonly kind: FileKind
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
