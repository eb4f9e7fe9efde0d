import { nextTime, timetableOf } from '../../automation/triggers/schedule-times.ts'
import type { Micros } from '../../events/clock.ts'
import { findAnyAutomation } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import { listDueOf } from '../../store/due.ts'
import { scheduleWork } from './work.ts'

/** Whether schedules come more than `limit` times until a moment, all of them together. Counts no further than that. */
export async function hasMoreTicks(query: Query, until: Micros, limit: number): Promise<boolean> {
  let count = 0
  for (const { subject, due_at } of await listDueOf(query, scheduleWork, until)) {
    const found = await findAnyAutomation(query, subject)
    const table = found?.live && timetableOf(JSON.parse(found.live.definition))
    if (!table || found.row.status !== 'enabled') continue
    for (let at: Micros | undefined = due_at; at !== undefined && at <= until; at = nextTime(table, at)) if (++count > limit) return true
  }
  return false
}
