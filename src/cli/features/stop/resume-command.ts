import { type Activity, user } from '../../../contract/resources/user.ts'
import { command } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { openGroups, updateGroup } from '../../program/history/groups.ts'
import { isStoppedHere, resumeHere } from '../../program/operations/stopped-here.ts'
import { idView, type View } from '../../program/output/format.ts'
import { namesOf } from '../../program/output/named-items.ts'
import { describeTime } from '../../program/output/time.ts'
import { undoPart } from '../history-and-operations/undo.ts'
import {
  planOf,
  type Reverted,
  reportReverted,
  requireUndoPlan,
  revertGroup,
  targetsOf,
} from '../history-and-operations/undo-group.ts'
import { describeRunning, readRunning } from './running.ts'

/** What was resumed. Scripts read it as JSON: fields are added, not renamed. */
export interface Resumed {
  /** Whether something was stopped before. */
  readonly resumed: boolean
  readonly by: 'platform' | 'client' | null
  /** When the platform had stopped the account; null if it had not. */
  readonly stopped_at: string | null
  /** Campaigns and automations that were started again, one by one. */
  readonly items: readonly Reverted[]
}

const view: View<Resumed> = idView((it) => it.by ?? 'nothing')

export const resume = command({
  callsPlatform: true,
  summary: 'Continue after a stop',
  risk: 'write',
  supportsPreview: true,
  exits: ['partial', 'consent', 'unknown'],
  examples: ['', '--yes', '--dry-run'],
  notes: `On a Parley server everything continues that the stop holds, from any client: campaigns, runs at the step where they waited, calls that were not placed yet. What was paused before the stop stays paused.
Elsewhere, exactly the campaigns and automations are started again that the stop of this computer has stopped. One that was changed since is not started. The exit code is 11 when some could not be started; "parley resume" tries those again.
A resume calls and writes to people again: a coding agent needs the approval of a person for it.`,
  view,
  async run(context) {
    const { out, notes, globals } = context
    const activity: Activity | undefined = (await context.supports('stop'))
      ? (await context.call(user.activity, {})).data
      : undefined
    const groups = await openGroups(context, 'stop')
    const stopped_at = activity?.stopped_at ?? null
    const plans = await Promise.all(
      groups.filter((it) => it.group?.is_account !== true).map((it: HistoryEntry) => planOf(context, it)),
    )
    const targets = plans.flatMap(targetsOf)
    const wasStoppedHere = await isStoppedHere(context)
    if (stopped_at === null && targets.length === 0) {
      if (!globals.dryRun && !globals.printCurl) {
        await endAccountGroups(context, groups)
        if (wasStoppedHere) await resumeHere(context)
      }
      const nothing = {
        resumed: wasStoppedHere,
        by: wasStoppedHere ? 'client' : null,
        stopped_at: null,
        items: [],
      } as const
      return void (await out.result(
        nothing,
        wasStoppedHere ? 'The commands of this computer start again.' : 'Nothing is stopped.',
        { view },
      ))
    }
    // Those in progress were not stopped.
    const unplaced = activity && activity.calls > 0 ? ['calls that were not placed yet'] : []
    const continued = stopped_at === null ? '' : describeRunning(await readRunning(context, true), unplaced)
    const what = [
      ...(stopped_at === null || activity === undefined
        ? []
        : [`everything that was stopped ${describeTime(stopped_at)}: ${continued}`]),
      ...(targets.length > 0 ? [namesOf(targets)] : []),
    ].join('; ')
    if (globals.dryRun || globals.printCurl) {
      await notes.note(`Would continue ${what}.`)
      if (
        targets.length > 0 ||
        !(await previewRequest(context, user.resume, stopped_at === null ? {} : { stopped_at }))
      )
        await notes.note('Dry run. Nothing was sent.')
      return undefined
    }
    const question = `Continue ${what}? People are called and written to again.`
    if (targets.length > 0) await requireUndoPlan(context, plans, question)
    // With an approval, the request to the platform is what was approved.
    if (!(await context.approvals.replacesConfirmation(question, user.resume)))
      await requireConfirmation(context, {
        question,
        refusalMessage: `Continuing ${what} calls and writes to people again, and requires confirmation.`,
      })
    if (stopped_at !== null) await context.call(user.resume, { stopped_at })
    if (wasStoppedHere) await resumeHere(context)
    const items: Reverted[] = []
    for (const plan of plans) items.push(...(await revertGroup(context, plan, (part) => undoPart(context, part, {}))))
    await endAccountGroups(context, groups)
    const restored = items.filter((it) => it.result === 'restored')
    await out.result(
      { resumed: true, by: stopped_at === null ? 'client' : 'platform', stopped_at, items },
      stopped_at === null ? `Continued ${namesOf(restored)}.` : `Everything is resumed: ${continued}.`,
      { view },
    )
    return reportReverted(context, items)
  },
})

/** Marks the stops of the account as undone, also one that somebody else has resumed or that did not take place. */
async function endAccountGroups(context: Context, groups: readonly HistoryEntry[]): Promise<void> {
  for (const { entry, group } of groups)
    if (group?.is_account) await updateGroup(context, entry, { ...group, is_undone: true })
}
