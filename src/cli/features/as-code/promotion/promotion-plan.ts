import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { ResourceRecord } from '../../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../../node/json.ts'
import type { Context } from '../../../program/context.ts'
import { createAccountReader } from '../../../program/dependencies/account-reader.ts'
import { findUnresolvedNames, unnamedReferences } from '../../../program/documents/name-references.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { PromotionRecord } from '../../../program/history/entries.ts'
import { resources } from '../../../program/resources/registry.ts'
import { differingFields, mergeEntry, type SyncEntry, type SyncSide } from '../compare.ts'
import type { FolderComparison } from '../compare-folder.ts'
import { fieldDifferences } from '../drift.ts'
import { type PlanRemarks, planRemarks } from '../invalid-values.ts'
import { conflictDetails, type SideNames, withMergedLocal } from '../merged-entries.ts'
import { usesOf } from '../resources-in-use.ts'
import type { ProfileComparison } from './compare-profiles.ts'
import { keepLiveSecrets, noMissingSecrets } from './promoted-entries.ts'

/** What a promotion does: the resources to write, and why it cannot be done. */
export interface PromotionPlan {
  readonly comparison: FolderComparison
  readonly written: readonly SyncEntry[]
  readonly unchanged: readonly SyncEntry[]
  /** Resources that were promoted before and that the source no longer has. They are not deleted. */
  readonly gone: readonly SyncEntry[]
  /** Resources that were changed on the target since the last promotion. */
  readonly drifted: readonly SyncEntry[]
  /** References that no resource of the target has, and secrets that the source does not show, a sentence each. */
  readonly missing: readonly string[]
  /** Environment variables with secrets that the target does not have yet. */
  readonly secrets: readonly string[]
  /** Files of resources that are in use on the target. */
  readonly live: ReadonlySet<string>
  readonly remarks: PlanRemarks
}

/** Plans a promotion. An open promotion is resumed, and its own writes do not count as changes by others. */
export async function planPromotion(
  target: Context,
  found: ProfileComparison,
  open: PromotionRecord | undefined,
): Promise<PromotionPlan> {
  const secrets = noMissingSecrets()
  const entries = await resolveEntries(found, open)
  const candidates = entries.filter((it) => it.local && (!it.remote || it.fields.length > 0))
  const drifted = candidates.filter(
    (it) => it.status === 'changed_remotely' || it.status === 'conflict' || it.status === 'deleted_remotely',
  )
  const written = candidates.map((it) => keepLiveSecrets(it, target.system.env, secrets))
  const writtenOf = new Map(written.map((it) => [it.file, it]))
  const comparison = { ...found, entries: entries.map((it) => writtenOf.get(it.file) ?? it) }
  return {
    comparison,
    written,
    unchanged: entries.filter((it) => it.local && it.remote && it.fields.length === 0),
    gone: entries.filter((it) => !it.local && found.lock.of(it.file) !== undefined),
    drifted,
    missing: [
      ...(await missingReferences(target, found, written)),
      ...missingAddresses(found, written),
      ...secrets.masked,
    ],
    secrets: [...secrets.variables].sort(),
    live: await target.progress.showWhile('Reading', (setText) => liveFiles(target, written, setText)),
    remarks: await planRemarks(target, written),
  }
}

/** Returns the entries with what a promotion writes: changes of the target in other fields are merged. */
export async function resolveEntries(
  found: FolderComparison,
  open: PromotionRecord | undefined,
): Promise<readonly SyncEntry[]> {
  const entries: SyncEntry[] = []
  for (const entry of found.entries) {
    const resolved = resolveStatus(entry, found, open)
    entries.push(resolved.status === 'changed_both' ? await withMergedLocal(resolved) : resolved)
  }
  return entries
}

/** Resources that were never promoted are matched by name, so their differences are changes and no conflict. */
function resolveStatus(entry: SyncEntry, { lock }: FolderComparison, open: PromotionRecord | undefined): SyncEntry {
  // Also equal resources are recorded, so that a later change on the target is noticed.
  if (entry.local && entry.remote && entry.fields.length === 0) return { ...entry, status: 'same' }
  const isConflict =
    entry.status === 'conflict' || entry.status === 'changed_remotely' || entry.status === 'deleted_remotely'
  if (!isConflict) return entry
  if (!lock.of(entry.file)) return { ...entry, status: entry.remote ? 'changed_locally' : 'local_only' }
  // A value that an interrupted run wrote is the same in the source and the target, so that a merge has no conflict there.
  if ((mergeEntry({ ...entry, unclearSecrets: [] })?.conflicts ?? []).length > 0) return entry
  const before = open?.state === 'open' ? open.items[entry.file]?.before : undefined
  return before && entry.remote && isOwnChange(before, entry) ? { ...entry, status: 'changed_locally' } : entry
}

/** Returns whether every field that changed on the target has the value of the source: an interrupted run wrote it. */
function isOwnChange(before: ResourceRecord, { local, remote }: SyncEntry): boolean {
  const text = (it: unknown): string => stringifyJson(it) ?? ''
  const live = remote?.content ?? {}
  return [...new Set([...Object.keys(before), ...Object.keys(live)])].every(
    (name) => text(before[name]) === text(live[name]) || text(live[name]) === text(local?.content[name]),
  )
}

/** Returns a sentence for each reference that the target cannot resolve. */
async function missingReferences(
  target: Context,
  { names }: FolderComparison,
  written: readonly SyncEntry[],
): Promise<string[]> {
  const { profileName } = await target.settings()
  const created = new Set(written.map((it) => `${it.kind.resourceKind} ${it.local?.name}`))
  const missing = new Set<string>()
  for (const { kind, file, local, remote, fields } of written) {
    const content = Object.fromEntries(
      Object.entries((local as SyncSide).content).filter(([name]) => !remote || fields.includes(name)),
    )
    for (const { to, at, value } of unnamedReferences(kind, content))
      missing.add(`${file}: ${at}: ${resources[to].singular} ${value} of the source has no unique name`)
    for (const { path, singular, id } of kind.unnamedIds?.(content) ?? [])
      missing.add(`${file}: ${path}: ${singular} ${id} of the source has no name`)
    const { unresolved, ambiguous } = await findUnresolvedNames(names, kind, content, file)
    for (const { to, name, path } of unresolved)
      if (!created.has(`${to} ${name}`)) {
        const way = kind.requiredReferences?.includes(path)
          ? `. Create it there, then the tool: parley tools create --profile ${profileName.value} --name ${local?.name} --from-automation <id>`
          : ''
        missing.add(`${file}: ${path}: no ${resources[to].singular} "${name}"${way}`)
      }
    for (const name of ambiguous) missing.add(name)
  }
  return [...missing]
}

/** Returns a sentence for each address of an automation of the source that the target does not have. */
const missingAddresses = ({ addresses }: ProfileComparison, written: readonly SyncEntry[]): string[] =>
  written.flatMap(({ file, local, remote, fields }) =>
    (addresses.get(file) ?? []).flatMap(({ field, automation }) =>
      (remote ? fields : Object.keys(local?.content ?? {})).includes(field.split('.', 1)[0] as string)
        ? [`${file}: ${field}: no automation "${automation}", whose address it is. Promote it first`]
        : [],
    ),
  )

/** Returns the files of resources that are active on the target, or that an active resource uses. */
async function liveFiles(
  target: Context,
  written: readonly SyncEntry[],
  onProgress: (text: string) => void,
): Promise<ReadonlySet<string>> {
  const account = createAccountReader(target.call, target.system.signal, { onProgress })
  const live = new Set<string>()
  for (const { kind, file, remote } of written) {
    if (!remote) continue
    const { isActive } = resources[kind.resourceKind]
    const isLive = isActive
      ? isActive(remote.record)
      : (await usesOf(target, kind.resourceKind, remote, account)).length > 0
    if (isLive) live.add(file)
  }
  return live
}

/** Returns the fields that were changed on the target since they were promoted, of those that differ. */
function driftedFields({ kind, fields, base, remote, unclearSecrets = [] }: SyncEntry): readonly string[] {
  if (!base || !remote) return fields
  const secrets = unclearSecrets.map((path) => path.split('.', 1)[0])
  const changed = [...differingFields(kind, base, remote.content, []), ...secrets]
  return fields.filter((name) => changed.includes(name))
}

const profileNames = ({ theirs, mine }: SideNames): SideNames => ({
  theirs: `profile "${theirs}"`,
  mine: `profile "${mine}"`,
})

/** Rejects a plan that cannot be done as a whole. Everything that is missing is named at once. @throws ClientFailure */
export function requirePossible(plan: PromotionPlan, sides: SideNames, forced: boolean): void {
  const { drifted, missing, secrets } = plan
  const to = sides.theirs
  if (drifted.length > 0 && !forced) {
    const details = drifted.filter((it) => it.base).flatMap((it) => conflictDetails(it, profileNames(sides)))
    const isDetailed = (path: string): boolean =>
      details.some((it) => it.path === path || it.path.startsWith(`${path}.`))
    const lines = drifted.flatMap((entry) => {
      const { file, remote } = entry
      if (!remote) return [`${file}: deleted there`]
      const fields = driftedFields(entry).filter((name) => !isDetailed(`${file}: ${name}`))
      return fieldDifferences({ ...entry, fields }).map((line) => `${file}: ${line}`)
    })
    throw new ClientFailure({
      exit: 'conflict',
      code: 'conflict',
      message: [
        drifted.some((it) => it.base)
          ? `Changed in profile "${to}" since the last promotion, and nothing was sent:`
          : `Different in profile "${to}", and no earlier promotion has the values. Nothing was sent:`,
        ...lines,
      ].join('\n'),
      details,
      hint: `${lines.some((it) => it.includes(' -> ')) ? `Values: ${to} -> ${sides.mine}. ` : ''}Make the change in the source too, or pass --force to overwrite it.`,
    })
  }
  if (missing.length + secrets.length === 0) return
  const variables = secrets.length === 1 ? 'a secret that is' : 'secrets that are'
  throw usageError(
    [
      ...(missing.length > 0
        ? [`Profile "${to}" lacks resources that are referenced, and nothing was sent:`, ...missing]
        : []),
      ...(secrets.length > 0
        ? [`Profile "${to}" needs ${variables} not set in the environment: ${secrets.join(', ')}. Nothing was sent.`]
        : []),
    ].join('\n'),
    [
      ...(missing.length > 0
        ? ['Create them there, promote them too, or exclude the fields: --skip-fields <names>.']
        : []),
      ...(secrets.length > 0
        ? [`Set ${secrets.length === 1 ? 'it' : 'them'}: ${secrets.map((it) => `export ${it}=…`).join(' ')}`]
        : []),
    ].join(' '),
  )
}
