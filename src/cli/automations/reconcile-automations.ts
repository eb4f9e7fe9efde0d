import type { Journal, JournalEntry } from '../../client/journal/journal.ts'
import type { Context } from '../context.ts'
import { type FinishResult, finishRestore, finishUpdate } from './finish-update.ts'
import { describeState } from './live-automation.ts'
import { type AutomationOperation, findOpenUpdates, isRestoreEntry, unfinishedError } from './operation-journal.ts'

/**
 * Finishes updates and restores of automations that were interrupted, each by itself, and settles their entries. What cannot be finished stays unknown and
 * is reported. `guard` is called before something is changed, and throws where that is not allowed. True when each is as it was to be, or as it was before.
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
      else journal.recordOutcome(entry.id, verdict === 'live' ? 'done' : 'refused', { reconciled })
      if (verdict === 'other') isResolved = false
      await (verdict === 'other' ? context.notes.warn(reconciled) : context.notes.note(reconciled))
    } catch (error) {
      if (context.world.signal.aborted) throw error
      const { exit } = error as { exit?: string }
      if (exit === 'usage' || exit === 'consent') throw error
      if (exit === 'not_found')
        journal.recordOutcome(entry.id, 'refused', { reconciled: 'The automation was deleted.' })
      else await context.notes.warn(`${operation.name} (${operation.id}): ${(error as Error).message}`)
    }
  }
  return isResolved
}

function describeUpdate(
  { name, id, before }: AutomationOperation,
  { verdict, live, isRolledBack }: FinishResult,
): string {
  const about = `"${name}" (${id})`
  const state = describeState(live)
  if (verdict === 'under_way') return `${about}: the platform may still be at it. ${state}`
  if (verdict === 'live') return `${about}: the new definition is live. ${state}`
  if (verdict === 'other') return `${about}: somebody else changed it since, so it was left as it is. ${state}`
  if (isRolledBack)
    return `${about}: the previous version was ${live.automation.status === 'enabled' ? 'put back and enabled' : 'put back'}. ${state}`
  return `${about}: the version that was live before is live${before.status === live.automation.status ? '' : `, but it was ${before.status}`}. ${state}`
}

/** What became of a restore. */
export function describeRestore({ name, id }: AutomationOperation, { verdict, live }: FinishResult): string {
  const about = `"${name}" (${id})`
  const state = describeState(live)
  if (verdict === 'under_way') return `${about}: the restore may still follow. ${state}`
  if (verdict === 'live') return `${about}: the restore was carried out. ${state}`
  if (verdict === 'other') return `${about}: somebody else published another version since. ${state}`
  return `${about}: the restore was not carried out; the version that was live before is live. ${state}`
}

/**
 * Finishes earlier updates of an automation that have no outcome, before another one begins. @throws ClientFailure `unknown` (exit 12) while one of them may
 * still follow on a platform that would publish it over the new one
 */
export async function finishEarlierUpdates(context: Context, id: string): Promise<void> {
  for (const { operation, at, settle } of await findOpenUpdates(context, id)) {
    const finished = await finishUpdate(context, operation, { at })
    const sentence = describeUpdate(operation, finished)
    if (finished.verdict === 'under_way' && !(await context.supports('when-tested')))
      throw unfinishedError(`An earlier update of ${at} has no outcome. ${sentence}`)
    settle(finished.verdict === 'live' ? 'done' : 'refused', { reconciled: sentence })
    await context.notes.note(`An earlier update of ${at} had no outcome. ${sentence}`)
  }
}
