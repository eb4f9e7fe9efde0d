import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { CommandInput } from '../commandline/command.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import type { RecordedResource } from '../resources/registry.ts'
import type { RecreatedDocument, RemainingWrite, SeparateWrite, UndoOptions } from '../resources/resource.ts'
import { addEntry, type HistoryEntry, historyScope, listEntries, type Referrer } from './entries.ts'
import { redactContent } from './entry-content.ts'
import { readResource } from './read-resource.ts'
import { resourceName, saveBeforeWrite } from './recorder.ts'
import { type EntryComparison, recreationDraft } from './undo-plan.ts'
import type { UndoOutcome } from './undo-result.ts'
import { savesHistory } from './undo-unavailable.ts'

interface UndoDeletionOptions extends UndoOptions {
  /** Values of `--set`, by path. */
  readonly given: CommandInput
  /** What precedes a path in `--set`, where several resources are created again: `tools/22:`. */
  readonly setPrefix?: string
}

/** Recreates a deleted resource. @throws ClientFailure `conflict` if that is not possible */
export async function undoDeletion(
  context: Context,
  { copy, kind }: EntryComparison,
  label: string,
  { given, setPrefix, ...options }: UndoDeletionOptions,
): Promise<UndoOutcome | undefined> {
  const { create, notRestored } = kind
  if (!create)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_made_again',
      message: `The ${label} cannot be created again.`,
      ...(notRestored && { hint: notRestored }),
    })
  const { draft, separate } = await recreationDraft(kind, copy, given, setPrefix)
  const recreated = kind.document
    ? await kind.document.recreate(context, copy, draft, options)
    : await recreate(context, kind, create, draft, separate)
  if (!recreated) return undefined
  const { id, record, problem, remaining = [] } = recreated
  // Recorded before further writes: if one fails, the same undo must not create a second resource.
  const historyEntry = await recordCreation(
    context,
    copy,
    id,
    await redactContent(kind, { ...copy.before, ...record, id }),
    kind.singular,
  )
  const failed = await writeRemaining(context, remaining)
  const notes = [
    ...failed,
    ...(problem === undefined ? [] : [problem]),
    ...(notRestored ? [notRestored] : []),
    ...describeReferrers(copy.pointers, id),
  ]
  return {
    undone: { done: 'created', id: String(id) },
    sentence: `Recreated ${label} with id ${id}.`,
    notes,
    historyEntry,
    ...(failed.length > 0
      ? { exit: 'partial' as const }
      : problem !== undefined && copy.before?.status === 'enabled' && { exit: 'finding' as const }),
  }
}

/** Restores the settings that the creation does not take. Returns a sentence for each that failed. */
async function writeRemaining(context: Context, remaining: readonly RemainingWrite[]): Promise<string[]> {
  const failed: string[] = []
  for (const { field, write } of remaining)
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
      failed.push(`Not restored: ${field}. ${error.message}`)
    }
  return failed
}

/** Creates the resource. Its settings that have endpoints of their own remain. */
async function recreate(
  context: Context,
  { separateWrites = {} }: RecordedResource,
  create: Endpoint,
  draft: ResourceRecord,
  separate: ResourceRecord,
): Promise<(Omit<RecreatedDocument, 'id'> & { readonly id: number | string }) | undefined> {
  const answer = (await sendRequest(context, create, { ...draft })) as { readonly data?: ResourceRecord } | undefined
  if (!answer) return undefined
  const id = answer.data?.id as number | string
  const remaining = Object.entries(separate).map(([field, value]): RemainingWrite => {
    const [endpoint, input] = (separateWrites[field] as SeparateWrite)(value, id)
    return { field, write: () => context.call(endpoint, input) }
  })
  return { id, record: { ...answer.data }, remaining }
}

/**
 * Returns the id of the resource that an earlier undo of the same deletion created, if it still exists. Undoing a
 * deletion twice would create a second resource.
 */
export async function findRecreated(
  context: Context,
  { copy, kind }: EntryComparison,
): Promise<number | string | undefined> {
  const own = Object.keys(copy.ids).at(-1) as string
  for (const { undoes, ids } of listEntries(context.system, await historyScope(context))) {
    if (undoes !== copy.entry) continue
    try {
      await readResource(context, kind, ids)
      return ids[own]
    } catch (error) {
      if ((error as ClientFailure).exit !== 'not_found') throw error
    }
  }
  return undefined
}

/** Records the creation, so that it can be undone too. Returns the number of the entry. */
async function recordCreation(
  context: Context,
  copy: HistoryEntry,
  id: number | string,
  after: Readonly<Record<string, unknown>>,
  label: string,
): Promise<number | undefined> {
  const { system } = context
  const own = Object.keys(copy.ids).at(-1) as string
  // The creation does not belong to the change that is undone: another undo of that would delete the resource.
  const { part_of: _, ...deletion } = copy
  const made: Omit<HistoryEntry, 'entry'> = {
    ...deletion,
    at: new Date(system.now()).toISOString(),
    ids: { ...copy.ids, [own]: id },
    name: resourceName(after),
    action: 'create',
    command: context.commandName,
    state: 'done',
    before: null,
    sent: null,
    after,
    pointers: [],
    undoes: copy.entry,
  }
  if (!(await savesHistory(context))) return undefined
  const scope = await historyScope(context)
  // Only "history undo" gets here, which continues with a warning. The resource exists and can be deleted by its id.
  return (await saveBeforeWrite(context, `The new ${label}`, () => addEntry(system, scope, made)))?.entry
}

const shown = ({ noun, id, name, field }: Referrer): string =>
  `${noun} ${id}${name === null ? '' : ` "${name}"`} (${field})`

function describeReferrers(pointers: readonly Referrer[], id: number | string): string[] {
  if (pointers.length === 0) return []
  return [`Update these references to the old id: ${pointers.map(shown).join(', ')}. The new id is ${id}.`]
}
