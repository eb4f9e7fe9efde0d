// Reads the files and the resources of every kind, for `pull`, `diff`, `push` and `promote`. Changes nothing. How two sides
// are compared is in compare.ts.

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { user } from '../../../contract/resources/user.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { throwIfInterrupted } from '../../../node/interruption.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import type { Context } from '../../program/context.ts'
import {
  hasSecrets,
  maskSecrets,
  replaceSecrets,
  requireEach,
  rotatedFields,
} from '../../program/documents/environment-secrets.ts'
import { replaceIdsWithNames } from '../../program/documents/name-references.ts'
import { isListUnavailable, ResourceNames, reportUnsupported } from '../../program/documents/resource-names.ts'
import { notFoundError } from '../../program/errors/usage-error.ts'
import { readDocument } from '../../program/input/read-document.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import type { RecordMerge } from '../../program/updates/merge-records.ts'
import {
  comparableContent,
  compare,
  differingFields,
  mergeEntry,
  type RemoteResource,
  type SyncEntry,
  type SyncItem,
  type SyncSide,
  type SyncStatus,
} from './compare.ts'
import { SyncLock, type SyncRecord } from './sync-lock.ts'

/** Comparison of the files in a folder with a platform, based on the state of the last sync. */
export interface FolderComparison {
  /** Absolute path; `''` for a promotion, which has no files. */
  readonly folder: string
  readonly lock: SyncLock
  readonly names: ResourceNames
  readonly entries: readonly SyncEntry[]
}

/** Returns whether the content is not of files, but was read from another platform. */
export const isPromotion = ({ folder }: Pick<FolderComparison, 'folder'>): boolean => folder === ''

/** Kinds and the folders that hold their files, relative to the given folder; `''` is that folder itself. */
export type Layout = readonly (readonly [below: string, kind: ResourceFiles, selected?: Selection])[]

/** Names to which a command is limited: of files without extension, or of resources. */
export type Selection = ReadonlySet<string>

/** Returns the absolute path of the folder, or of the default one. */
export const resolveFolder = ({ system }: Context, given: unknown, usual: string): string =>
  resolve(system.cwd, typeof given === 'string' ? given : usual)

/**
 * Compares the files of a folder with the platform, and shows on a terminal how far it is. If the list of a kind cannot be
 * read, the kind is skipped with a warning; with `needsAll` the command fails if the kind has files.
 */
export const compareFolder = (
  context: Context,
  folder: string,
  layout: Layout,
  needsAll = false,
): Promise<FolderComparison> =>
  context.progress.showWhile('Reading files', (setText) => compareAll(context, { folder, layout, needsAll, setText }))

interface FolderOptions {
  readonly folder: string
  readonly layout: Layout
  readonly needsAll: boolean
  readonly setText: (text: string) => void
}

async function compareAll(
  context: Context,
  { folder, layout, needsAll, setText }: FolderOptions,
): Promise<FolderComparison> {
  const names = new ResourceNames(context)
  const entries: SyncEntry[] = []
  // All files are read first, so that an invalid one fails before any request.
  const files = new Map<ResourceFiles, Map<string, ResourceRecord>>()
  await requireEach(layout, async ([below, kind]) => {
    files.set(kind, await readDocuments(context, folder, below, kind))
  })
  const lock = new SyncLock(folder, await lockKey(context))
  for (const [below, kind, selected] of layout) {
    const localFiles = new Map<string, SyncSide>()
    for (const [file, document] of files.get(kind) ?? []) {
      await throwIfInterrupted(context.system.signal)
      localFiles.set(file, await toSide(kind, await replaceIdsWithNames(names, kind, document)))
    }
    if (kind.capability && !(await context.supports(kind.capability))) {
      const files = [...localFiles.keys()]
      if (files.length > 0 || layout.length === 1) await reportUnsupported(context, kind, files, needsAll)
      continue
    }
    let listed: readonly ResourceRecord[]
    setText(`Reading ${kind.noun}`)
    try {
      listed = await kind.list(context)
    } catch (error) {
      // A push needs the list. Other commands skip the files of this kind.
      if (!isListUnavailable(error) || (needsAll && localFiles.size > 0)) throw error
      await context.notes.warn(`Skipped the files of ${kind.noun}, which could not be read (${error.message}).`)
      continue
    }
    const remotes: RemoteResource[] = []
    for (const item of listed) {
      await throwIfInterrupted(context.system.signal)
      remotes.push(await toRemoteResource(names, kind, item))
      setText(`Comparing ${kind.noun}: ${remotes.length} of ${listed.length}`)
    }
    const items = compare(
      localFiles,
      remotes,
      lock.forFolder(below),
      (remote, taken) => fileNameFor(below, kind, remote, taken),
      (localSide, remote) => differingFields(kind, localSide.content, remote.content).length === 0,
    )
    const chosen = selected === undefined ? items : await selectItems(context, items, selected, kind)
    entries.push(...chosen.map((it) => withFields(it, kind, lock, context)))
  }
  return { folder, lock, names, entries }
}

/**
 * Returns a key for the platform and the account, because ids are valid in one account only. It is only the URL if the
 * platform does not return the account. Lock files, which users commit, have it: it never changes.
 */
export async function lockKey(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  try {
    const { email } = await context.call(user.me, {})
    return typeof email === 'string' ? `${baseUrl.value}#${hashJson(email as never).slice(0, 8)}` : baseUrl.value
  } catch (error) {
    if ((error as ClientFailure).status !== 403 && (error as ClientFailure).status !== 404) throw error
    return baseUrl.value
  }
}

/** Converts a resource to the content of its file. */
export async function toRemoteResource(
  names: ResourceNames,
  kind: ResourceFiles,
  raw: ResourceRecord,
): Promise<RemoteResource> {
  const content = kind.toContent(raw)
  const name = content[kind.nameField ?? 'name']
  // The caller reports this as a response that does not match the documentation.
  const id = typeof raw.id === 'bigint' ? String(raw.id) : raw.id
  if (typeof name !== 'string' || name === '' || (typeof id !== 'number' && typeof id !== 'string'))
    throw new TypeError(`a ${kind.singular} without a name or an id`)
  return {
    ...(await toSide(kind, await replaceIdsWithNames(names, kind, replaceSecrets(unmaskHidden(kind, content), name)))),
    id,
    raw: content,
    record: raw,
  }
}

/** Gives secrets that the platform hides a value, so that they become references to the environment. */
const unmaskHidden = ({ hiddenSecrets = [] }: ResourceFiles, content: ResourceRecord): ResourceRecord => ({
  ...content,
  ...Object.fromEntries(hiddenSecrets.map((name) => [name, 'hidden'])),
})

/** Returns one side of a comparison. Lock files of users have its hash: the same content always has the same one. */
export async function toSide(kind: ResourceFiles, content: ResourceRecord): Promise<SyncSide> {
  return {
    content,
    name: String(content[kind.nameField ?? 'name']),
    hash: hashJson(maskSecrets(comparableContent(kind, content)) as AutomationNode),
  }
}

/** Returns the selected items. @throws ClientFailure `not_found` for a name that no item has */
export async function selectItems(
  context: Context,
  items: readonly SyncItem<RemoteResource>[],
  selected: Selection,
  kind: ResourceFiles,
): Promise<SyncItem<RemoteResource>[]> {
  const stem = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '')
  const namesOf = (item: SyncItem<RemoteResource>): readonly (string | undefined)[] => [
    stem(item.file),
    item.name,
    item.local?.name,
  ]
  const known = new Set(items.flatMap(namesOf))
  const missing = [...selected].find((name) => !known.has(name))
  if (missing !== undefined) {
    const elsewhere = await kind.fileElsewhere?.(context, missing)
    if (elsewhere !== undefined)
      throw notFoundError(`The ${kind.singular} "${missing}" is in another file.`, `Use ${elsewhere}.`)
    const guess = closestMatch(missing, [...items.map((it) => stem(it.file)), ...items.map((it) => it.name)])
    throw notFoundError(
      `No ${kind.singular} "${missing}" in the files or on the platform.${guess ? ` Did you mean "${guess}"?` : ''}`,
      'Nothing was changed.',
    )
  }
  return items.filter((it) => namesOf(it).some((name) => name !== undefined && selected.has(name)))
}

/** Adds the differing fields to an item. A secret whose environment variable changed also counts as a changed field. */
export function withFields(
  item: SyncItem<RemoteResource>,
  kind: ResourceFiles,
  lock: SyncLock,
  { system: { env } }: Context,
  skipped: ReadonlySet<string> = new Set(),
): SyncEntry {
  const synced = lock.of(item.renamedFrom ?? item.file)
  const secretPaths = item.local && item.remote ? rotatedFields(item.local.content, item.remote.raw, env) : []
  const secrets = secretPaths.map((path) => path.split('.', 1)[0] as string)
  const fields =
    item.local && item.remote && item.status !== 'same'
      ? differingFields(kind, item.local.content, item.remote.content, synced && (synced.omits ?? []))
      : []
  const all = [...new Set([...fields, ...secrets])]
  const isUnclear = secrets.length > 0 && synced?.there === item.remote?.hash && isChangedLater(synced, item.remote)
  const entry: SyncEntry = {
    ...item,
    kind,
    status: isUnclear ? 'conflict' : adjustedStatus(item, all),
    fields: all,
    ...(isUnclear && { unclearSecrets: secretPaths }),
  }
  if (!synced?.base || !item.local || !item.remote) return entry
  const { content } = item.local
  const unchanged = [...(synced.omits ?? []).filter((name) => content[name] === undefined), ...skipped]
  const known: SyncEntry = { ...entry, base: synced.base, unchanged }
  if (entry.status !== 'conflict' && entry.status !== 'changed_locally') return known
  // Also a platform that was not changed since the last sync can have a change that a promotion preserved.
  const { conflicts, adopted } = mergeEntry(known) as RecordMerge
  if (conflicts.length > 0) return { ...known, status: 'conflict' }
  return entry.status === 'conflict' || adopted.length > 0 ? { ...known, status: 'changed_both' } : known
}

/** Returns whether a resource has another time of its last change than at the last sync. */
const isChangedLater = (synced: SyncRecord | undefined, remote: RemoteResource | undefined): boolean =>
  synced?.changed_at !== undefined && synced.changed_at !== remote?.record.updated_at

function adjustedStatus({ status, local, remote }: SyncItem<RemoteResource>, fields: readonly string[]): SyncStatus {
  if (!local || !remote) return status
  if (fields.length > 0) return status === 'same' ? 'changed_locally' : status
  // The fields in the file are equal to those of the platform. All other changes are in fields that the file does not
  // have.
  return status === 'changed_locally' ? 'same' : status === 'conflict' ? 'changed_remotely' : status
}

/** Records renamed files under their new name. */
export function applyRenames({ entries, lock }: Pick<FolderComparison, 'entries' | 'lock'>): void {
  for (const { file, renamedFrom } of entries) if (renamedFrom !== undefined) lock.move(renamedFrom, file)
}

/** Returns the sync record of a file and its resource that are equal now. */
export function toSyncRecord(localSide: SyncSide, remoteResource: RemoteResource): SyncRecord {
  const omits = Object.keys(remoteResource.content).filter((name) => !Object.hasOwn(localSide.content, name))
  return {
    id: remoteResource.id,
    here: localSide.hash,
    there: remoteResource.hash,
    ...(omits.length > 0 && { omits }),
    base: remoteResource.content,
    // Only the time shows that a secret was changed.
    ...(hasSecrets(remoteResource.content) && { changed_at: remoteResource.record.updated_at as string }),
  }
}

/** Reads the files of a kind, by their path relative to the folder. @throws ClientFailure `usage` for an invalid file */
export async function readDocuments(
  context: Context,
  folder: string,
  below: string,
  kind: ResourceFiles,
): Promise<Map<string, ResourceRecord>> {
  const found = new Map<string, ResourceRecord>()
  const path = join(folder, below)
  const names = existsSync(path) ? readdirSync(path).filter((it) => /\.ya?ml$/.test(it)) : []
  await requireEach(names.sort(), async (name) => {
    await throwIfInterrupted(context.system.signal)
    const file = join(path, name)
    const document = (await readDocument(context.system, file, kind.documentSchema, file)) as ResourceRecord
    found.set(below === '' ? name : `${below}/${name}`, await kind.normalize(document, file))
  })
  return found
}

/**
 * Returns the path of the file of a resource without a file. `taken` has the paths of others. Promotions find what they
 * recorded of a resource by this path, so that of a name never changes.
 */
export function fileNameFor(
  below: string,
  { singular }: ResourceFiles,
  { name, id }: RemoteResource,
  taken: ReadonlySet<string>,
): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const path = below === '' ? '' : `${below}/`
  const stem = deviceName.test(slug) ? `${slug}-${singular}` : slug || singular
  const file = `${path}${stem}.yaml`
  return taken.has(file) ? `${path}${stem}-${String(id).slice(0, 6)}.yaml` : file
}

/** Names of devices, which no file on Windows can have, whatever its ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/
