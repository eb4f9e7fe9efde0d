import * as z from '../../contract/schema/schema.ts'
import { fields, flag, text, wholeNumber, zone } from './input-fields.ts'
import type { Piece, Trigger } from './piece.ts'

const hour = wholeNumber(0, 0, 23)

const scheduleTrigger = (title: string, shape: z.ZodRawShape): Trigger => ({
  title,
  kind: 'schedule',
  input: fields(shape),
})

/**
 * Schedules run on weekdays only unless `run_on_weekends` is set. This is the default of the original editors; lint
 * warns about it.
 */
export const schedule: Piece = {
  names: ['schedule'],
  actions: {},
  triggers: {
    every_x_minutes: scheduleTrigger('Every few minutes', { minutes: wholeNumber(1, 1, 59) }),
    every_hour: scheduleTrigger('Every hour', { run_on_weekends: flag }),
    every_day: scheduleTrigger('Every day', { hour_of_the_day: hour, timezone: zone, run_on_weekends: flag }),
    every_week: scheduleTrigger('Every week', {
      day_of_the_week: wholeNumber(0, 0, 6),
      hour_of_the_day: hour,
      timezone: zone,
    }),
    every_month: scheduleTrigger('Every month', {
      day_of_the_month: wholeNumber(1, 1, 31),
      hour_of_the_day: hour,
      timezone: zone,
    }),
    cron_expression: scheduleTrigger('On a cron schedule', {
      cronExpression: z.preprocess((it) => (it === undefined || it === '' ? '0/5 * * * *' : it), text),
      timezone: zone,
    }),
  },
}
