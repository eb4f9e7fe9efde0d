import { Cron } from 'croner'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { nodeSettings } from '../../../engine/definition/node.ts'
import { triggerOf } from '../../../engine/pieces/registry.ts'

/**
 * Schedule: a cron expression in a time zone, and the output of the trigger, which runs are stored with: expressions of saved
 * definitions read its fields.
 */
interface Timetable {
  readonly cron: string
  readonly zone: string
  readonly output: Readonly<Record<string, unknown>>
}

interface Input {
  readonly minutes: number
  readonly run_on_weekends: boolean
  readonly hour_of_the_day: number
  readonly day_of_the_week: number
  readonly day_of_the_month: number
  readonly cronExpression: string
  readonly timezone: string
}

/** Patterns by the name of the trigger in saved definitions: another pattern changes when published automations run. */
const cronPatterns: Readonly<Record<string, (input: Input) => string>> = {
  every_x_minutes: (it) => `*/${it.minutes} * * * *`,
  every_hour: (it) => `0 * * * ${days(it)}`,
  every_day: (it) => `0 ${it.hour_of_the_day} * * ${days(it)}`,
  every_week: (it) => `0 ${it.hour_of_the_day} * * ${it.day_of_the_week}`,
  every_month: (it) => `0 ${it.hour_of_the_day} ${it.day_of_the_month} * *`,
  cron_expression: (it) => it.cronExpression,
}

const days = ({ run_on_weekends }: Input): string => (run_on_weekends ? '*' : '1-5')

/** Returns the schedule of a trigger; undefined if the trigger is not a schedule or its settings are invalid. */
export function parseTimetable(trigger: AutomationNode): Timetable | undefined {
  const { triggerName, input = {} } = nodeSettings(trigger)
  const pattern = cronPatterns[String(triggerName)]
  const parsed = triggerOf(trigger)?.input.safeParse(input)
  if (!pattern || !parsed?.success) return undefined
  const setting = parsed.data as Input
  const cron = pattern(setting)
  const zone = setting.timezone ?? 'UTC'
  return {
    cron,
    zone,
    output: triggerName === 'cron_expression' ? {} : { ...(input as object), cron_expression: cron, timezone: zone },
  }
}

/** Returns the next scheduled time, undefined if there is none. @throws Error for an invalid expression or time zone */
export function nextTime({ cron, zone }: Pick<Timetable, 'cron' | 'zone'>, after: Micros): Micros | undefined {
  const schedule = new Cron(cron, { timezone: zone, sloppyRanges: true, paused: true })
  const next = schedule.nextRun(new Date(Math.floor(after / 1000)))
  return next ? next.getTime() * 1000 : undefined
}
