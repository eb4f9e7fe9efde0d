import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isNullable } from '../../../contract/endpoint/coerce.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { placeWithin, rootPlace } from '../../../contract/values/mask.ts'
import type { Context } from '../context.ts'
import { clearedFields } from '../documents/document-fields.ts'
import { usageError } from '../errors/usage-error.ts'
import { setFieldPath } from '../input/field-path.ts'
import { promptChoices } from '../prompts/choices.ts'
import { recordArgument } from '../prompts/equivalent-command.ts'
import { loadRecorded, type RecordedResource } from '../resources/registry.ts'
import { fillMasks, isMasked, type LostMask } from '../secrets/masked-values.ts'
import { type MergeConflict, mergeRecords } from '../updates/merge-records.ts'
import { findEntry, type HistoryEntry, historyScope, isOwnEntry, listEntries, withoutParts } from './entries.ts'
import { redactContent, writableFieldsOf } from './entry-content.ts'
import { readPreviousState, readResource } from './read-resource.ts'
import { Unread, undoUnavailable } from './undo-unavailable.ts'

/** A history entry and the live resource. */
export interface EntryComparison {
  readonly copy: HistoryEntry
  readonly kind: RecordedResource
  /** Undefined if it no longer exists. */
  readonly live: ResourceRecord | undefined
  /** Whether `live` could not be read, and is assumed to be as the write of the entry left it. */
  readonly isAssumed?: true
}

/** Finds the entry of an argument. @throws ClientFailure `usage`, `not_found`, `conflict` for another account's */
export async function findGivenEntry(context: Context, given: string | undefined): Promise<HistoryEntry> {
  const hint = 'List them: parley history list.'
  const argument = given ?? (await pickEntry(context, hint))
  if (!/^[1-9]\d{0,8}$/.test(argument)) throw usageError(`Invalid entry number "${argument}".`, hint)
  const place = await historyScope(context)
  const copy = findEntry(context.system, place, Number(argument))
  if (copy && !isOwnEntry(context.system, place, copy)) throw anotherKeyError(argument)
  if (!copy)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `The history of this profile has no entry ${argument}.`,
      hint,
    })
  return copy
}

/** Reads the live resource of an entry. */
export async function compareWithLive(context: Context, copy: HistoryEntry): Promise<EntryComparison> {
  const kind = await loadRecorded(copy.noun)
  try {
    return { copy, kind, live: await readResource(context, kind, copy.ids) }
  } catch (error) {
    if ((error as ClientFailure).exit !== 'not_found') throw error
    return { copy, kind, live: undefined }
  }
}

/**
 * Reads the live resource of an entry that is undone. If it cannot be read, `force` assumes that it is as the write of the
 * entry left it. @throws ClientFailure `undo_unavailable`
 */
export async function compareForUndo(context: Context, copy: HistoryEntry, force: boolean): Promise<EntryComparison> {
  const kind = await loadRecorded(copy.noun)
  const live = await readPreviousState(context, kind, copy.ids)
  if (!(live instanceof Unread)) return { copy, kind, live }
  if (live.reason === 'gone') return { copy, kind, live: undefined }
  const canAssume = copy.action === 'update' && !kind.document
  if (!force || !canAssume)
    throw undoUnavailable(
      live.error,
      `Could not check whether the ${kind.singular} was changed since`,
      canAssume ? 'To undo without this check, pass --force.' : '',
    )
  await context.notes.warn(
    `Changes since entry ${copy.entry} are not checked, because the ${kind.singular} could not be read. ${live.error.message}`,
  )
  return { copy, kind, live: { ...copy.before, ...copy.sent, ...copy.after }, isAssumed: true }
}

/** Rejects an entry of another account, whose ids mean other resources here. */
const anotherKeyError = (entry: string): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'another_key',
    message: `Entry ${entry} was made with another API key, which may belong to another account. Nothing was changed.`,
    hint: 'Use that key. If both keys belong to one account, run "parley whoami" once with each of them, then try again.',
  })

/** Lets the user pick an entry on a terminal, newest first. @throws ClientFailure `usage` without a terminal */
async function pickEntry(context: Context, hint: string): Promise<string> {
  if (!context.interactive) throw usageError('Missing entry. Pass its number.', hint)
  const copies = withoutParts(listEntries(context.system, await historyScope(context)))
  if (copies.length === 0)
    throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'No entries to choose from.' })
  const prompts = await context.prompts()
  const label = ({ entry, at, action, noun, name, ids }: HistoryEntry): string =>
    `${entry}  ${action} ${noun} ${name ?? Object.values(ids).join('/')}, ${at}`
  const { entry } = await prompts.select('Which entry?', promptChoices(copies, label), { searchable: true })
  recordArgument(context, entry)
  return String(entry)
}

/** Returns what tells a hidden secret of an entry, also one within a text, from a text that contains `[hidden]` itself. */
const masksOf = ({ literals = [] }: HistoryEntry): { readonly isOwn: (text: string) => boolean } => ({
  isOwn: (text) => isMasked(text) && !literals.includes(text),
})

/** The update that undoes another one. */
export interface UndoPlan {
  readonly change: ResourceRecord
  /** Values that were changed after the write of this entry. */
  readonly conflicts: readonly MergeConflict[]
  /** Fields that an update cannot restore. */
  readonly impossible: readonly string[]
  /** Fields whose secrets are not changed. */
  readonly secret: readonly string[]
}

/**
 * Plans an undo that restores only the fields that the entry's write changed; later changes of other fields are
 * preserved.
 */
export async function planUndo({
  copy,
  kind,
  live,
}: EntryComparison & { readonly live: ResourceRecord }): Promise<UndoPlan> {
  const shape = kind.update?.body?.shape ?? {}
  const fields = async (it: ResourceRecord): Promise<ResourceRecord> => writableFieldsOf(kind, kind.update, it)
  const before = await fields(copy.before ?? {})
  const now = await fields(await redactContent(kind, live))
  const raw = await fields(live)
  const written = copy.after
    ? await fields({ ...copy.before, ...copy.sent, ...copy.after })
    : { ...before, ...copy.sent }
  // A change of the mode also resets fields that depend on it, which no response shows.
  const isWide = kind.modeField !== undefined && before[kind.modeField] !== written[kind.modeField]
  // A platform may omit fields without a value.
  const sent = kind.document ? {} : await fields(copy.sent ?? {})
  const names = [...new Set([...Object.keys(before), ...Object.keys(sent)])]
  const isChanged = (name: string, by: ResourceRecord): boolean => !isSame(before[name], by[name])
  // A read right after a write may return old values.
  const own = names.filter(
    (name) => isWide || isChanged(name, written) || (Object.hasOwn(sent, name) && isChanged(name, sent)),
  )
  const differing = own.filter((name) => !isSame(before[name], now[name]))
  const change: Record<string, unknown> = {}
  const conflicts: MergeConflict[] = []
  const [impossible, secret]: [string[], string[]] = [[], []]
  for (const name of differing) {
    const lost: string[] = []
    // Later changes of other entries of a list, and of other fields of an object, are preserved.
    const merge =
      isWide || kind.document
        ? undefined
        : mergeRecords(pick(written, name), pick(before, name), pick(now, name), { isSame })
    const wanted = merge ? merge.merged[name] : before[name]
    if (merge && isSame(wanted, now[name])) continue
    const value = Object.hasOwn(before, name)
      ? fillMasks(
          wanted,
          { plain: raw[name], shown: raw[name] },
          {
            ...masksOf(copy),
            place: placeWithin({ ...before, [name]: wanted }, name, rootPlace),
            onLost: ({ label }) => lost.push(label),
          },
        )
      : unsetValue(kind, name)
    // A definition is sent with its masks: the platform fills in the masked values.
    const isLost = lost.length > 0 && !kind.document
    const takes =
      Object.hasOwn(kind.separateWrites ?? {}, name) ||
      ((shape as Record<string, { safeParse(value: unknown): { success: boolean } }>)[name]?.safeParse(value).success ??
        false)
    if (isLost || !takes) {
      if (!(isWide && isSame(before[name], null)))
        impossible.push(lost.length > 0 ? `${name} (${lost.join(', ')} is masked in the history)` : name)
      continue
    }
    change[name] = kind.document ? before[name] : value
    if (merge) conflicts.push(...merge.conflicts)
    else if (!isWide && !isSame(now[name], written[name]))
      conflicts.push({ path: name, base: written[name], theirs: now[name], mine: before[name] })
  }
  for (const name of Object.keys(before))
    if (containsMasked(before[name], copy.literals) && (own.includes(name) || Object.hasOwn(copy.sent ?? {}, name)))
      secret.push(name)
  for (const [name, value] of Object.entries(sent)) {
    const isShown = [before, copy.after ?? sent, live].some((it) => Object.hasOwn(it, name))
    if (isShown || isSame(value, null)) continue
    if (containsMasked(value, copy.literals)) secret.push(name)
    else impossible.push(`${name} (the platform does not show it)`)
  }
  return { change, conflicts, impossible, secret }
}

const pick = (it: ResourceRecord, name: string): ResourceRecord => (Object.hasOwn(it, name) ? { [name]: it[name] } : {})

/** Returns the value that removes a field which had none. */
function unsetValue({ update, create }: RecordedResource, name: string): unknown {
  if (!update?.body) return null
  return clearedFields(update.body as z.ZodObject, (create?.body ?? update.body) as z.ZodObject, [name])[name] ?? null
}

const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a ?? null, b ?? null)

/** Returns whether a value contains a masked secret. `literals` are texts that are none. */
export function containsMasked(value: unknown, literals: readonly string[] = []): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((it) => containsMasked(it, literals))
  return isMasked(value) && !literals.includes(value)
}

/** The input that recreates a resource, and the fields that endpoints of their own set afterwards. */
interface RecreationDraft {
  readonly draft: ResourceRecord
  readonly separate: ResourceRecord
}

/**
 * Returns the input that recreates a resource. `setPrefix` precedes the path of a secret in `--set`.
 * @throws ClientFailure `usage` with the masked secrets
 */
export async function recreationDraft(
  kind: RecordedResource,
  copy: HistoryEntry,
  given: ResourceRecord,
  setPrefix = '',
): Promise<RecreationDraft> {
  const shape = (kind.create?.body?.shape ?? {}) as Readonly<Record<string, Parameters<typeof isNullable>[0]>>
  const { withoutPlatformValues = (it) => it, completeDraft, requiredSecrets } = kind
  const all = await writableFieldsOf(kind, kind.create, copy.before ?? {})
  const draft: Record<string, unknown> = structuredClone(withoutPlatformValues(all))
  completeDraft?.(draft)
  for (const [name, value] of Object.entries(draft))
    if (value === null && !(shape[name] && isNullable(shape[name]))) delete draft[name]
  const isSeparate = (path: string): boolean =>
    Object.hasOwn(kind.separateWrites ?? {}, path.split('.', 1)[0] as string)
  const separate: Record<string, unknown> = Object.fromEntries(
    Object.entries(copy.before ?? {}).filter(([name, value]) => isSeparate(name) && value !== null),
  )
  for (const [path, value] of Object.entries(given)) setFieldPath(isSeparate(path) ? separate : draft, path, value)
  const lost: string[] = []
  const onLost = ({ path }: LostMask): unknown => lost.push(path)
  fillMasks({ ...draft, ...separate }, { plain: undefined, shown: undefined }, { ...masksOf(copy), onLost })
  lost.push(...(requiredSecrets ?? []).filter((name) => draft[name] === undefined))
  if (lost.length > 0)
    throw usageError(
      `Missing secrets, which the history does not save: ${lost.join(', ')}.`,
      `Pass ${lost.length === 1 ? 'it' : 'each'} with --set, for example --set ${setPrefix}${lost[0]}=<value>.`,
    )
  return { draft, separate }
}
