import type { Journal, JournalEntry } from '../../client/journal.ts'
import type { Context } from '../context.ts'
import { type Finished, finishRestore, finishUpdate } from './finish.ts'
import { type Guarded, isRestoreEntry, openUpdates, unfinished } from './guard.ts'
import { stateOf } from './live.ts'

/**
 * Finishes updates and restores of automations that were interrupted, each by itself, and settles their entries. What cannot be finished stays unknown and
 * is reported. `guard` is called before something is changed, and throws where that is not allowed. True when each is as it was to be, or as it was before.
 */
export async function reconcileAutomations(context: Context, journal: Journal, entries: readonly JournalEntry[], guard: () => Promise<void>): Promise<boolean> {
  let isAllWell = true
  for (const entry of entries) {
    const guarded = entry.input as Guarded
    try {
      const { at } = entry
      const finished = await (isRestoreEntry(entry) ? finishRestore(context, guarded, at) : finishUpdate(context, guarded, { at, guard }))
      const { verdict } = finished
      const reconciled = isRestoreEntry(entry) ? restoreSentence(guarded, finished) : sentenceOf(guarded, finished)
      if (verdict === 'under_way') journal.settle(entry.id, 'unknown')
      else journal.settle(entry.id, verdict === 'live' ? 'done' : 'refused', { reconciled })
      if (verdict === 'other') isAllWell = false
      await (verdict === 'other' ? context.notes.warn(reconciled) : context.notes.note(reconciled))
    } catch (error) {
      if (context.world.signal.aborted) throw error
      const { exit } = error as { exit?: string }
      if (exit === 'usage' || exit === 'consent') throw error
      if (exit === 'not_found') journal.settle(entry.id, 'refused', { reconciled: 'The automation was deleted.' })
      else await context.notes.warn(`${guarded.name} (${guarded.id}): ${(error as Error).message}`)
    }
  }
  return isAllWell
}

function sentenceOf({ name, id, before }: Guarded, { verdict, live, isRolledBack }: Finished): string {
  const about = `"${name}" (${id})`
  const state = stateOf(live)
  if (verdict === 'under_way') return `${about}: the platform may still be at it. ${state}`
  if (verdict === 'live') return `${about}: the new definition is live. ${state}`
  if (verdict === 'other') return `${about}: somebody else changed it since, so it was left as it is. ${state}`
  if (isRolledBack) return `${about}: the previous version was ${live.automation.status === 'enabled' ? 'put back and enabled' : 'put back'}. ${state}`
  return `${about}: the version that was live before is live${before.status === live.automation.status ? '' : `, but it was ${before.status}`}. ${state}`
}

/** What became of a restore. */
export function restoreSentence({ name, id }: Guarded, { verdict, live }: Finished): string {
  const about = `"${name}" (${id})`
  const state = stateOf(live)
  if (verdict === 'under_way') return `${about}: the restore may still follow. ${state}`
  if (verdict === 'live') return `${about}: the restore was carried out. ${state}`
  if (verdict === 'other') return `${about}: somebody else published another version since. ${state}`
  return `${about}: the restore was not carried out; the version that was live before is live. ${state}`
}

/**
 * Finishes earlier updates of an automation that have no outcome, before another one begins. @throws ClientFailure `unknown` (exit 12) while one of them may
 * still follow on a platform that would publish it over the new one
 */
export async function finishEarlier(context: Context, id: string): Promise<void> {
  for (const { guarded, at, settle } of await openUpdates(context, id)) {
    const finished = await finishUpdate(context, guarded, { at })
    const sentence = sentenceOf(guarded, finished)
    if (finished.verdict === 'under_way' && !(await context.has('when-tested'))) throw unfinished(`An earlier update of ${at} has no outcome. ${sentence}`)
    settle(finished.verdict === 'live' ? 'done' : 'refused', { reconciled: sentence })
    await context.notes.note(`An earlier update of ${at} had no outcome. ${sentence}`)
  }
}
