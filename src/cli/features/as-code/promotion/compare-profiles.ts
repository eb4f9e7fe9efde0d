import { webhookPath } from '../../../../contract/automations/webhook-path.ts'
import { hasDefinition } from '../../../../contract/references/resource-links.ts'
import { addressFields, replaceAddresses } from '../../../../contract/references/resource-references.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { mapTexts } from '../../../../contract/values/json-object.ts'
import { throwIfInterrupted } from '../../../../node/interruption.ts'
import { groupBy } from '../../../program/dependencies/item-index.ts'
import { isListUnavailable, ResourceNames } from '../../../program/documents/resource-names.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { ResourceFiles } from '../../../program/resources/resource-files.ts'
import { compare, type RemoteResource, type SyncEntry, type SyncSide } from '../compare.ts'
import {
  type FolderComparison,
  fileNameFor,
  type Layout,
  lockKey,
  selectItems,
  toRemoteResource,
  toSide,
  withFields,
} from '../compare-folder.ts'
import { SyncLock } from '../sync-lock.ts'
import type { ProfilePair, ProfileSide } from './profile-pair.ts'
import { type DocumentContents, withReadableDocuments } from './promoted-documents.ts'

/** A field with the address of an automation that the target does not have. */
interface MissingAddress {
  /** Path of the value. */
  readonly field: string
  readonly automation: string
}

const originOf = (url: string): string | undefined =>
  /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : undefined

async function listAutomations({ context }: ProfileSide): Promise<readonly { id: string; name: string }[]> {
  try {
    return (await context.call(automate.list, {})).data
  } catch (error) {
    if (isListUnavailable(error)) return []
    throw error
  }
}

const byName = (all: readonly { id: string; name: string }[]) => groupBy(all, ({ name }) => name)

/** Fields of a kind that may contain addresses: URLs, and the steps of a definition. */
function fieldsOf({ resourceKind }: ResourceFiles): readonly string[] {
  if (hasDefinition(resourceKind)) return ['flow']
  return Object.hasOwn(addressFields, resourceKind) ? addressFields[resourceKind as keyof typeof addressFields] : []
}

/**
 * Replaces the addresses of automations of the source by those of the automations with the same names on the target, so
 * that the target does not start automations of the source. Lists are read on first use.
 */
function createAddressTranslator({ from, to }: Pick<ProfilePair, 'from' | 'to'>) {
  let names: Promise<readonly [Map<string, string>, ReturnType<typeof byName>]> | undefined
  const targetOrigin = originOf(to.baseUrl)
  const targetBase = to.baseUrl.replace(/\/+$/, '')

  async function translate(
    kind: ResourceFiles,
    side: SyncSide,
  ): Promise<{ side: SyncSide; missing: MissingAddress[] }> {
    const content: Record<string, unknown> = { ...side.content }
    const fields = fieldsOf(kind).filter((it) => hasAddress(content[it]))
    if (fields.length === 0) return { side, missing: [] }
    names ??= Promise.all([
      listAutomations(from).then((all) => new Map(all.map(({ id, name }) => [id, name]))),
      listAutomations(to).then(byName),
    ])
    const [own, others] = await names
    const missing: MissingAddress[] = []
    for (const field of fields)
      content[field] = mapTexts(content[field], field, (text, path) =>
        replaceAddresses(text, ({ url, base, path: before, id }) => {
          const origin = originOf(base)
          const name = own.get(id)
          if ((origin !== undefined && origin === targetOrigin) || name === undefined) return url
          const found = others.get(name) ?? []
          if (found.length !== 1 || targetOrigin === undefined) {
            missing.push({ field: path, automation: name })
            return url
          }
          const target = String(found[0]?.id)
          // An expression is evaluated on the target.
          return base.includes('{{')
            ? url.slice(0, -(before + id).length) + before + target
            : targetBase + webhookPath(target)
        }),
      )
    return { side: await toSide(kind, content), missing }
  }
  return translate
}

const hasAddress = (value: unknown): boolean => {
  let found = false
  mapTexts(value, '', (text) =>
    replaceAddresses(text, ({ url }) => {
      found = true
      return url
    }),
  )
  return found
}

/** Comparison of two platforms. */
export interface ProfileComparison extends FolderComparison {
  /** Documents that the target lacks and whose content is unknown, a line for each knowledge base. */
  readonly unread: readonly string[]
  /** Fields of the source with the address of an automation that the target lacks, by file. */
  readonly addresses: ReadonlyMap<string, readonly MissingAddress[]>
}

interface ProfileOptions {
  readonly folder: string
  /** Fields that the target keeps. */
  readonly skipped: ReadonlySet<string>
  /** The content of documents, which no platform returns. */
  readonly contents: DocumentContents
}

/**
 * Compares the resources of two platforms, as a push compares files: the source is the local side. Shows on a terminal how
 * far it is. @throws ClientFailure `usage` if both profiles are one account
 */
export const compareProfiles = (
  pair: ProfilePair,
  layout: Layout,
  options: ProfileOptions,
): Promise<ProfileComparison> =>
  pair.to.context.progress.showWhile('Reading', (setText) => compareAll(pair, layout, options, setText))

async function compareAll(
  { from, to }: ProfilePair,
  layout: Layout,
  { folder, skipped, contents }: ProfileOptions,
  setText: (text: string) => void,
): Promise<ProfileComparison> {
  const [sourceKey, targetKey] = [await lockKey(from.context), await lockKey(to.context)]
  if (sourceKey === targetKey)
    throw usageError(`Profiles "${from.name}" and "${to.name}" use the same account. Nothing was sent.`)
  const lock = new SyncLock(folder, targetKey)
  const sourceNames = new ResourceNames(from.context)
  const names = new ResourceNames(to.context)
  const entries: SyncEntry[] = []
  const unread: string[] = []
  const addresses = new Map<string, readonly MissingAddress[]>()
  const translate = createAddressTranslator({ from, to })
  for (const [, kind] of layout) for (const side of [from, to]) await requireKind(side, kind)
  for (const [below, kind, selected] of layout) {
    const local = new Map<string, SyncSide>()
    const taken = new Set<string>()
    for (const remote of await readSide(from, sourceNames, kind, setText)) {
      const file = fileNameFor(below, kind, remote, taken)
      taken.add(file)
      const { side, missing } = await translate(kind, remote)
      local.set(file, side)
      if (missing.length > 0) addresses.set(file, missing)
    }
    const remotes = await readSide(to, names, kind, setText)
    const withId = new Map(remotes.map((it) => [String(it.id), it]))
    const named = groupBy(remotes, ({ name }) => name)
    const unreadOf = new Map<string, readonly string[]>()
    if (kind.resourceKind === 'knowledge' && !skipped.has('documents'))
      for (const [file, resource] of local) {
        const id = lock.of(file)?.id
        const target = (id === undefined ? undefined : withId.get(String(id))) ?? named.get(resource.name)?.[0]
        const readable = await withReadableDocuments(resource, target?.content, contents)
        local.set(file, readable.side)
        if (readable.unread.length > 0) unreadOf.set(file, readable.unread)
      }
    const items = compare(
      local,
      remotes,
      lock.forFolder(below),
      (remote, taken) => fileNameFor(below, kind, remote, taken),
      () => false,
    ).map((entry) =>
      // Two sides that were not changed since the last promotion differ where it preserved or skipped a field.
      entry.status === 'same' && entry.local?.hash !== entry.remote?.hash
        ? { ...entry, status: 'changed_locally' as const }
        : entry,
    )
    const chosen = selected === undefined ? items : await selectItems(from.context, items, selected, kind)
    for (const { file } of chosen) {
      const lost = unreadOf.get(file)
      if (lost) unread.push(`${file}: ${lost.join(', ')}`)
    }
    entries.push(...chosen.map((it) => withoutSkipped(withFields(it, kind, lock, to.context, skipped), skipped)))
  }
  return { folder: '', lock, names, entries, unread, addresses }
}

/** @throws ClientFailure `usage` if a platform cannot read and write a kind */
async function requireKind({ context, described }: ProfileSide, { noun, capability }: ResourceFiles): Promise<void> {
  if (!capability || (await context.supports(capability))) return
  const name = noun.charAt(0).toUpperCase() + noun.slice(1)
  throw usageError(
    `${name} cannot be promoted: ${described} does not have the capability "${capability}". Nothing was sent.`,
    'Leave them out of the names and of --only.',
  )
}

async function readSide(
  { name, context }: ProfileSide,
  names: ResourceNames,
  kind: ResourceFiles,
  setText: (text: string) => void,
): Promise<RemoteResource[]> {
  setText(`Reading ${kind.noun} of ${name}`)
  const listed = await kind.list(context)
  const found: RemoteResource[] = []
  for (const item of listed) {
    await throwIfInterrupted(context.system.signal)
    found.push(await toRemoteResource(names, kind, item))
    setText(`Reading ${kind.noun} of ${name}: ${found.length} of ${listed.length}`)
  }
  return found
}

/** Removes the skipped fields. */
function withoutSkipped(entry: SyncEntry, skipped: ReadonlySet<string>): SyncEntry {
  const fields = entry.fields.filter((name) => !skipped.has(name))
  // An existing resource is written by its fields, a new one by its content.
  if (!entry.local || entry.remote) return { ...entry, fields }
  const content = Object.fromEntries(Object.entries(entry.local.content).filter(([name]) => !skipped.has(name)))
  return { ...entry, fields, local: { ...entry.local, content } }
}
