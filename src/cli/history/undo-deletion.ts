import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { UndoOptions } from '../automations/undo-automation.ts'
import type { CommandInput } from '../commandline/command.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
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
  { given, confirmsSideEffects, confirmed }: UndoDeletionOptions,
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
  const isAutomation = kind.noun === 'automate'
  const sample = isAutomation
    ? await (await import('../automations/test-samples.ts')).findSample(context, String(copy.ids.id), copy.at)
    : undefined
  if (isAutomation) await confirmRecreation(context, copy, confirmed)
  const answer = isAutomation
    ? await (await import('../consent/confirm-side-effects.ts')).sendWithConfirmation(
        context,
        create,
        {
          ...draft,
          ...(sample && { sample: sample.sample }),
          ...(confirmsSideEffects && { confirm_side_effects: true }),
        },
        'Building',
      )
    : await sendRequest(context, create, { ...draft })
  if (!answer) return undefined
  const made = answer as {
    readonly data?: Readonly<Record<string, unknown>>
    readonly automation_id?: string
    readonly status?: string
  }
  const id = (made.automation_id ?? made.data?.id) as number | string
  await restoreSeparateSettings(context, copy, id)
  const historyEntry = await recordCreation(
    context,
    copy,
    id,
    await redactContent(kind, { ...copy.before, ...made.data, id }),
  )
  const isDisabled = isAutomation && made.status === 'test_failed'
  const disabledNote = isDisabled ? [`Its test failed and it is disabled. See: parley automate runs list ${id}`] : []
  const notes = [...disabledNote, ...(notRestored ? [notRestored] : []), ...describeReferrers(copy.pointers, id)]
  return {
    undone: { done: 'created', id: String(id) },
    sentence: `Recreated ${label} with id ${id}.`,
    notes,
    historyEntry,
    ...(isDisabled && copy.before?.status === 'enabled' && { exit: 'finding' as const }),
  }
}

/** Confirms that the definition of a deleted automation goes live again. A preview needs no confirmation. */
async function confirmRecreation(
  context: Context,
  { name, before, ids }: HistoryEntry,
  confirmed: string | boolean | undefined,
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (dryRun || printCurl) return
  const [{ confirmPublish }, { describeBinding }] = await Promise.all([
    import('../automations/confirm-publish.ts'),
    import('../automations/restore-preview.ts'),
  ])
  const called = name ?? String(ids.id)
  const isEnabled = before?.status === 'enabled'
  await confirmPublish(context, {
    question: `Create the automation "${called}" again?`,
    refusalMessage: `Creating "${called}" again publishes its definition and requires confirmation.`,
    lines: [
      `It is tested, and becomes ${isEnabled ? 'enabled if the test passes' : 'disabled'}.`,
      `Bound to: ${describeBinding(before?.binding)}.`,
    ],
    name: called,
    isEnabled,
    confirmed,
  })
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

/** Restores settings that have separate endpoints. */
async function restoreSeparateSettings(
  context: Context,
  { noun, before }: HistoryEntry,
  id: number | string,
): Promise<void> {
  if (noun === 'assistants' && typeof before?.inbound_webhook_url === 'string') {
    const { assistants } = await import('../../contract/resources/assistants.ts')
    await context.call(assistants.enableInboundWebhook, {
      assistant_id: Number(id),
      webhook_url: before.inbound_webhook_url,
    })
  }
  if (noun === 'automate' && before?.status === 'disabled') {
    const { automate } = await import('../../contract/resources/automate.ts')
    await context.call(automate.update, { id: String(id), enabled: false })
  }
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
