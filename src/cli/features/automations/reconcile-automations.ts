import type { Journal, JournalEntry } from '../../../client/journal/open-operations.ts'
import type { Context } from '../../program/context.ts'
import { certainSentence, type FinishResult, finishRestore, finishUpdate } from './finish-update.ts'
import { describeState } from './live-automation.ts'
import { type AutomationOperation, findOpenUpdates, isRestoreEntry, unfinishedError } from './operation-journal.ts'

/**
 * Finishes interrupted updates and restores of automations one by one and settles their entries. Unresolved ones stay
 * unknown and are reported.
 *
 * `guard` is called before a change and throws if it is not allowed. Returns false if someone else changed one of the
 * automations.
 */
export async function reconcileAutomations(
  context: Context,
  journal: Journal,
  entries: readonly JournalEntry[],
  guard: () => Promise<void>,
): Promise<boolean> {
  let isResolved = true
  for (const entry of entries) {
    const operation = entry.input as AutomationOperation
    try {
      const { at } = entry
      const finished = await (isRestoreEntry(entry)
        ? finishRestore(context, operation, at)
        : finishUpdate(context, operation, { at, guard }))
      const { verdict } = finished
      const reconciled = isRestoreEntry(entry)
        ? describeRestore(operation, finished)
        : describeUpdate(operation, finished)
      if (verdict === 'under_way') journal.recordOutcome(entry.id, 'unknown')
      else journal.recordOutcome(entry.id, verdict === 'live' ? 'done' : 'refused', outcomeDetail(reconciled, finished))
      if (verdict === 'other') isResolved = false
      await (verdict === 'other' ? context.notes.warn(reconciled) : context.notes.note(reconciled))
    } catch (error) {
      if (context.system.signal.aborted) throw error
      const { exit } = error as { exit?: string }
      if (exit === 'usage' || exit === 'consent') throw error
      if (exit === 'not_found')
        journal.recordOutcome(entry.id, 'refused', { reconciled: 'The automation no longer exists.' })
      else await context.notes.warn(`${operation.name} (${operation.id}): ${(error as Error).message}`)
    }
  }
  return isResolved
}

/**
 * Detail of an outcome in the journal. `rolled_back` marks an update that was published, failed its test and was undone, as in
 * safe-update.ts. `findRolledBackUpdate` reads it, also of earlier versions, so that a failed version is not restored.
 */
const outcomeDetail = (reconciled: string, { isRolledBack }: FinishResult): object => ({
  reconciled,
  ...(isRolledBack && { rolled_back: true }),
})

function describeUpdate(
  { name, id, before }: AutomationOperation,
  { verdict, live, isRolledBack }: FinishResult,
): string {
  const about = `"${name}" (${id})`
  const state = describeState(live)
  if (verdict === 'under_way') return `${about}: the update may still be in progress. ${certainSentence} ${state}`
  if (verdict === 'live') return `${about}: the new definition is live. ${state}`
  if (verdict === 'other') return `${about}: not changed, because someone else changed it since. ${state}`
  if (isRolledBack)
    return `${about}: the previous version was ${live.automation.status === 'enabled' ? 'restored and enabled' : 'restored'}. ${state}`
  return `${about}: the previous version is live${before.status === live.automation.status ? '' : `, but it was ${before.status}`}. ${state}`
}

/** Describes the outcome of a restore in a sentence. */
export function describeRestore({ name, id }: AutomationOperation, { verdict, live }: FinishResult): string {
  const about = `"${name}" (${id})`
  const state = describeState(live)
  if (verdict === 'under_way') return `${about}: the restore may still be in progress. ${certainSentence} ${state}`
  if (verdict === 'live') return `${about}: the restore is done. ${state}`
  if (verdict === 'other') return `${about}: someone else published another version since. ${state}`
  return `${about}: the restore was not carried out. The previous version is live. ${state}`
}

/**
 * Finishes earlier updates of an automation without an outcome, before another one starts.
 *
 * @throws ClientFailure `unknown` (exit 12) if one may still be in progress on a platform that would publish it over
 * the new one
 */
export async function finishEarlierUpdates(context: Context, id: string): Promise<void> {
  for (const { operation, at, settle } of await findOpenUpdates(context, id)) {
    const finished = await finishUpdate(context, operation, { at })
    const sentence = describeUpdate(operation, finished)
    if (finished.verdict === 'under_way' && !(await context.supports('when-tested')))
      throw unfinishedError(`The outcome of an earlier update (${at}) is unknown. ${sentence}`)
    settle(finished.verdict === 'live' ? 'done' : 'refused', outcomeDetail(sentence, finished))
    await context.notes.note(`The outcome of an earlier update (${at}) was unknown. ${sentence}`)
  }
}
