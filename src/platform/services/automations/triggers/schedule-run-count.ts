import type { Micros } from '../../../../contract/values/micros.ts'
import { nextTime, parseTimetable } from '../../../runs/triggers/timetable.ts'
import { findAutomationById } from '../../../store/automations/automations.ts'
import type { Query } from '../../../store/database/connection.ts'
import { listDueJobsOfKind } from '../../../store/runtime/scheduled-jobs.ts'
import type { Vault } from '../../runtime/vault.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'
import { scheduleTriggerJobKind } from './trigger-activation.ts'

/** Returns whether all schedules together start more than `limit` runs until a time. Stops counting above the limit. */
export async function hasMoreScheduledRuns(
  { query, vault }: { readonly query: Query; readonly vault: Vault },
  until: Micros,
  limit: number,
): Promise<boolean> {
  let count = 0
  for (const { subject, due_at } of await listDueJobsOfKind(query, scheduleTriggerJobKind, until)) {
    const found = await findAutomationById(query, subject)
    const timetable = found?.live && parseTimetable(readDefinition(vault, found.live))
    if (!timetable || found.row.status !== 'enabled') continue
    for (let at: Micros | undefined = due_at; at !== undefined && at <= until; at = nextTime(timetable, at))
      if (++count > limit) return true
  }
  return false
}
