import { nextTime, timetableOf } from '../../automation/triggers/schedule-times.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Micros } from '../../events/clock.ts'
import { schedule, unschedule } from '../../events/due.ts'
import type { TriggerKind } from '../../store/automation-tables.ts'
import { changeAutomation } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import { pollWork, scheduleWork } from './work.ts'

interface Armed {
  readonly account: number
  readonly automation: string
  readonly kind: TriggerKind
  readonly trigger: AutomationNode
  readonly now: Micros
}

/** When a schedule comes next; null for triggers without one, undefined for a schedule that never comes. */
export function firstTime(kind: TriggerKind, trigger: AutomationNode, after: Micros): Micros | null | undefined {
  if (kind !== 'schedule') return null
  const table = timetableOf(trigger)
  try {
    return table && nextTime(table, after)
  } catch {
    return undefined
  }
}

/** Lets the trigger start runs from now on, in the caller's transaction. */
export async function arm(query: Query, { account, automation, kind, trigger, now }: Armed): Promise<void> {
  await disarm(query, automation)
  const at = firstTime(kind, trigger, now)
  if (at) await schedule(query, { account, kind: scheduleWork, subject: automation, at })
  if (kind === 'poll') await schedule(query, { account, kind: pollWork, subject: automation, at: now })
}

/** Lets it start none, in the caller's transaction. What was read of a service is forgotten: what happens meanwhile is not made up for. */
export async function disarm(query: Query, automation: string): Promise<void> {
  await unschedule(query, scheduleWork, automation)
  await unschedule(query, pollWork, automation)
  await changeAutomation(query, automation, { cursor: null })
}
