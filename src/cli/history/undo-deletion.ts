import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { UndoOptions } from '../automations/undo-automation.ts'
import type { CommandInput } from '../commandline/command.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import type { RecordedResource } from '../resources/descriptors.ts'
import type { RecreatedDocument } from '../resources/history-descriptor.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import { addEntry, type HistoryEntry, listEntries, type Referrer } from './entries.ts'
import { redactContent } from './entry-content.ts'
import { readResource } from './read-resource.ts'
import { historyScope, resourceName } from './recorder.ts'
import { type EntryComparison, recreationDraft } from './undo-plan.ts'
import type { UndoOutcome } from './undo-result.ts'

interface UndoDeletionOptions extends UndoOptions {
  /** Values of `--set`, by path. */
  readonly given: CommandInput
}

/** Recreates a deleted resource. @throws ClientFailure `conflict` if that is not possible */
export async function undoDeletion(
  context: Context,
  { copy, kind }: EntryComparison,
  label: string,
  { given, ...options }: UndoDeletionOptions,
): Promise<UndoOutcome | undefined> {
  const { create, notRestored } = kind
  if (!create)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_made_again',
      message: `The ${label} cannot be created again.`,
      ...(notRestored && { hint: notRestored }),
    })
  const draft = await recreationDraft(kind, copy, given)
  const recreated = kind.document
    ? await kind.document.recreate(context, copy, draft, options)
    : await recreate(context, kind, copy, create, draft)
  if (!recreated) return undefined
  const { id, record, problem } = recreated
  const historyEntry = await recordCreation(
    context,
    copy,
    id,
    await redactContent(kind, { ...copy.before, ...record, id }),
  )
  const notes = [
    ...(problem === undefined ? [] : [problem]),
    ...(notRestored ? [notRestored] : []),
    ...describeReferrers(copy.pointers, id),
  ]
  return {
    undone: { done: 'created', id: String(id) },
    sentence: `Recreated ${label} with id ${id}.`,
    notes,
    historyEntry,
    ...(problem !== undefined && copy.before?.status === 'enabled' && { exit: 'finding' as const }),
  }
}

/** Creates the resource and restores its settings that have endpoints of their own. */
async function recreate(
  context: Context,
  { separateWrites = {} }: RecordedResource,
  { before }: HistoryEntry,
  create: Endpoint,
  draft: ResourceRecord,
): Promise<(Omit<RecreatedDocument, 'id'> & { readonly id: number | string }) | undefined> {
  const answer = (await sendRequest(context, create, { ...draft })) as { readonly data?: ResourceRecord } | undefined
  if (!answer) return undefined
  const id = answer.data?.id as number | string
  for (const [name, write] of Object.entries(separateWrites))
    if (typeof before?.[name] === 'string') {
      const [endpoint, input] = write(before[name], id)
      await context.call(endpoint, input as never)
    }
  return { id, record: { ...answer.data } }
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
): Promise<number | undefined> {
  const { system } = context
  const own = Object.keys(copy.ids).at(-1) as string
  const made: Omit<HistoryEntry, 'entry'> = {
    ...copy,
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
  try {
    return addEntry(system, await historyScope(context), made).entry
  } catch {
    // The resource exists and can be deleted by its id.
    return undefined
  }
}

const shown = ({ noun, id, name, field }: Referrer): string =>
  `${noun} ${id}${name === null ? '' : ` "${name}"`} (${field})`

function describeReferrers(pointers: readonly Referrer[], id: number | string): string[] {
  if (pointers.length === 0) return []
  return [`Update these references to the old id: ${pointers.map(shown).join(', ')}. The new id is ${id}.`]
}
