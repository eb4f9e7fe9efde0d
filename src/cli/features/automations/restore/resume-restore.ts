import type { Context } from '../../../program/context.ts'
import { finishRestore } from '../finish-update.ts'
import type { LiveAutomation } from '../live-automation.ts'
import { findOpenRestore, unfinishedError } from '../operation-journal.ts'
import { describeRestore } from '../reconcile-automations.ts'

/**
 * Settles an earlier restore with an unknown outcome by comparing it with the live version. If it was carried out,
 * restoring again would undo it. Returns undefined if there is none, or if it was certainly not carried out.
 *
 * @throws ClientFailure `unknown` (exit 12) while it may still be in progress
 */
export async function resumeRestore(
  context: Context,
  id: string,
): Promise<{ readonly sentence: string; readonly live: LiveAutomation } | undefined> {
  const open = await findOpenRestore(context, id)
  if (!open) return undefined
  const finished = await finishRestore(context, open.operation, open.at)
  const sentence = describeRestore(open.operation, finished)
  if (finished.verdict === 'live') {
    open.settle('done', { reconciled: 'The restore is done.' })
    return { sentence: `The restore of ${open.at} had no response. ${sentence}`, live: finished.live }
  }
  // With the version guard, the platform refuses the later of two restores.
  if (finished.verdict === 'under_way' && !(await context.supports('version-guard')))
    throw unfinishedError(`An earlier restore of ${open.at} has no outcome. ${sentence}`)
  open.settle('refused', { reconciled: sentence })
  await context.notes.note(`Earlier restore (${open.at}): ${sentence}`)
  return undefined
}
