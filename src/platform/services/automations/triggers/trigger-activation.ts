import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { Micros } from '../../../../contract/values/micros.ts'
import { scheduleJob, unscheduleJob } from '../../../jobs/job-loop.ts'
import { nextTime, parseTimetable } from '../../../runs/triggers/timetable.ts'
import { findAutomationById, updateAutomationRow } from '../../../store/automations/automations.ts'
import type { TriggerKind } from '../../../store/automations/tables.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../../../store/database/connection.ts'
import { listDueJobsOfKind } from '../../../store/runtime/scheduled-jobs.ts'
import type { Vault } from '../../runtime/vault.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'

/** Kind of the job that runs a schedule. The subject is the automation's id. Its rows have this name, so it never changes. */
export const scheduleTriggerJobKind = 'automation.schedule'
/** Kind of the job that polls a service for new items. The subject is the automation's id. Its rows have this name, so it never changes. */
export const pollTriggerJobKind = 'automation.poll'

interface TriggerActivation {
  readonly account: number
  readonly automation: string
  readonly kind: TriggerKind
  readonly trigger: AutomationNode
  readonly now: Micros
}

/**
 * Returns the time of the first scheduled run after a time. Null for a trigger without a schedule, undefined for a
 * schedule that no date matches.
 */
export function firstRunAt(kind: TriggerKind, trigger: AutomationNode, after: Micros): Micros | null | undefined {
  if (kind !== 'schedule') return null
  const timetable = parseTimetable(trigger)
  try {
    return timetable && nextTime(timetable, after)
  } catch {
    return undefined
  }
}

/** Lets the trigger start runs from now on, in the caller's transaction. */
export async function activateTrigger(
  query: AccountQuery,
  { account, automation, kind, trigger, now }: TriggerActivation,
): Promise<void> {
  await deactivateTrigger(query, automation)
  const at = firstRunAt(kind, trigger, now)
  if (at) await scheduleJob(query, { account, kind: scheduleTriggerJobKind, subject: automation, at })
  if (kind === 'poll') await scheduleJob(query, { account, kind: pollTriggerJobKind, subject: automation, at: now })
}

/**
 * Stops the trigger from starting runs, in the caller's transaction. Clears the poll cursor, so that items that appear
 * while the trigger is off start no runs later.
 */
export async function deactivateTrigger(query: AccountQuery, automation: string): Promise<void> {
  await unscheduleJob(query, scheduleTriggerJobKind, automation)
  await unscheduleJob(query, pollTriggerJobKind, automation)
  await updateAutomationRow(query, automation, { cursor: null })
}

/** Returns whether all schedules together start more than `limit` runs until a time. Stops counting above the limit. */
export async function hasMoreScheduledRuns(
  { query, vault }: { readonly query: PlatformQuery; readonly vault: Vault },
  until: Micros,
  limit: number,
): Promise<boolean> {
  let count = 0
  for (const { account_id, subject, due_at } of await listDueJobsOfKind(query, scheduleTriggerJobKind, until)) {
    const found = await findAutomationById(accountQuery(query, account_id), subject)
    const timetable = found?.live && parseTimetable(readDefinition(vault, found.live))
    if (!timetable || found.row.status !== 'enabled') continue
    for (let at: Micros | undefined = due_at; at !== undefined && at <= until; at = nextTime(timetable, at))
      if (++count > limit) return true
  }
  return false
}
