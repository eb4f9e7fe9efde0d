import * as z from '../../contract/schema/schema.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { isTimeZone } from '../../contract/values/time-zone.ts'
import { localToMillis, zoneOffsetMs } from '../../contract/values/zone-offset.ts'
import type { JsonObject } from '../definition/node.ts'
import { formatLocal, type LocalMillis, monthName, parseLocal, weekdayName } from './date-format.ts'
import { fields, flag, fromJson, integer, optionalText, text, wholeNumber, zone } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
/** Milliseconds of a unit. Years and months have a fixed length here, as in the public piece. */
const unitMs = {
  year: 365 * dayMs,
  month: 30 * dayMs,
  day: dayMs,
  hour: 60 * minuteMs,
  minute: minuteMs,
  second: 1000,
}
type Unit = keyof typeof unitMs

const maxExpressionLength = 500

/** Returns the local time of a zone. */
const toLocal = (ms: number, timeZone: string): LocalMillis => ms + zoneOffsetMs(ms, timeZone)
/** Returns midnight of a local time. */
const dayOf = (local: LocalMillis): LocalMillis => Math.floor(local / dayMs) * dayMs

/** Adds months to a local time. A day that the month does not have becomes its last day. */
function addMonths(local: LocalMillis, count: number): LocalMillis {
  const date = new Date(local)
  const target = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate()
  return target + (Math.min(date.getUTCDate(), lastDay) - 1) * dayMs + (local - dayOf(local))
}

/** Applies an expression such as `+ 1 year - 3 day`. A sign holds until the next one. @throws StepFailure */
function addExpression(ms: number, expression: string, timeZone: string): number {
  if (expression.length > maxExpressionLength)
    throw new StepFailure(`expression can have at most ${maxExpressionLength} characters.`)
  const parts = [...expression.matchAll(/([+-])|(\d+)\s*([a-z]+)/gi)]
  const rest = expression.replace(/[+-]|\d+\s*[a-z]+/gi, '').trim()
  if (rest !== '' || !parts.some((it) => it[2] !== undefined))
    throw new StepFailure('expression must have numbers and units, for example "+ 1 day - 2 hour".')
  let sign = 1
  let at = ms
  for (const [, operator, count, name = ''] of parts) {
    if (operator !== undefined) {
      sign = operator === '-' ? -1 : 1
      continue
    }
    const unit = name.toLowerCase().replace(/s$/, '') as Unit
    if (!(unit in unitMs))
      throw new StepFailure(`expression has the unit "${name}". Use ${Object.keys(unitMs).join(', ')}.`)
    const amount = sign * Number(count)
    if (unit === 'year' || unit === 'month')
      at = localToMillis(addMonths(toLocal(at, timeZone), unit === 'year' ? amount * 12 : amount), timeZone)
    else if (unit === 'day') at = localToMillis(toLocal(at, timeZone) + amount * dayMs, timeZone)
    else at += amount * unitMs[unit]
    if (Number.isNaN(new Date(at).getTime())) throw new StepFailure('expression leads to a date that is too far away.')
  }
  return at
}

const dateFormat = z
  .preprocess((it) => (it === undefined || it === null || it === '' ? 'DDD MMM DD YYYY HH:mm:ss' : it), z.string())
  .describe('Format of the date, such as YYYY-MM-DD HH:mm')
const optionalZone = z
  .preprocess(
    (it) => (it === null || it === '' ? undefined : it),
    z.string().refine(isTimeZone, 'must be a time zone such as Europe/Paris').optional(),
  )
  .describe('Time zone, such as Europe/Paris; a time is set only with one')
const clockPattern = /^([01]\d|2[0-3]):[0-5]\d$/
const clockTime = z
  .preprocess(
    (it) => (it === undefined || it === null || it === '' ? '00:00' : it),
    z.string().regex(clockPattern, 'must be a time such as 09:30'),
  )
  .describe('Time of that day, such as 09:30')
const optionalClockTime = optionalText
  .refine((it) => it === undefined || clockPattern.test(it), 'must be a time such as 09:30')
  .describe('Time of that day, such as 09:30 (default: unchanged)')
/** List of units, or one of them. */
const units = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess(
    (given) => {
      const value = fromJson(given)
      return typeof value === 'string' && value !== '' ? [value] : value
    },
    z.array(z.enum(values)).min(1),
  )

const millisOf = (now: Micros): number => Math.floor(now / 1000)

/** Returns a result as the public piece does. */
const result = (local: LocalMillis, timeZone: string, format: string) =>
  done({ result: formatLocal(local, localToMillis(local, timeZone), format) })

/** Parses a date to milliseconds since the epoch. @throws StepFailure that names the field */
function parseMillis(field: string, given: string, format: string, timeZone: string): number {
  const found = parseLocal(field, given, format)
  return 'epochMs' in found ? found.epochMs : localToMillis(found.local, timeZone)
}

const clockOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return (hours * 60 + minutes) * minuteMs
}
/** Returns the time of day in milliseconds, without seconds: a given one, or the present one. */
const timeOfDay = (local: LocalMillis, { time, currentTime }: { time: string; currentTime: boolean }): number =>
  currentTime ? Math.floor((local - dayOf(local)) / minuteMs) * minuteMs : clockOf(time)

const extract: Readonly<Record<string, (local: Date) => number | string>> = {
  year: (it) => it.getUTCFullYear(),
  month: (it) => it.getUTCMonth() + 1,
  day: (it) => it.getUTCDate(),
  hour: (it) => it.getUTCHours(),
  minute: (it) => it.getUTCMinutes(),
  second: (it) => it.getUTCSeconds(),
  dayOfWeek: (it) => weekdayName(it.getTime()),
  monthName: (it) => monthName(it.getTime()),
}

const currentTime = flag.describe('Whether the present time of day is used')
const target = { time: clockTime, currentTime, timeFormat: dateFormat, timeZone: zone }
/** Declares an action that returns a day near the present one. */
const dayAction = (title: string, example: JsonObject, day: (today: LocalMillis) => LocalMillis) =>
  action({
    title,
    example,
    isInternal: true,
    input: fields(target),
    run: async ({ timeFormat, timeZone, ...time }, { now }) => {
      const local = toLocal(millisOf(now), timeZone)
      return result(day(dayOf(local)) + timeOfDay(local, time), timeZone, timeFormat)
    },
  })
const firstOfMonth = (day: LocalMillis, offset: number): LocalMillis => {
  const date = new Date(day)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
}

/**
 * Formats, compares and moves dates. Dates are texts with a format such as `YYYY-MM-DD`. Saved definitions have the names
 * of its actions and units.
 */
export const dateHelper: Piece = {
  names: ['date-helper'],
  triggers: {},
  actions: {
    get_current_date: action({
      title: 'Current date and time',
      example: { timeFormat: 'YYYY-MM-DD HH:mm', timeZone: 'Europe/Paris' },
      isInternal: true,
      input: fields({ timeFormat: dateFormat, timeZone: zone }),
      run: async ({ timeFormat, timeZone }, { now }) =>
        done({ result: formatLocal(toLocal(millisOf(now), timeZone), millisOf(now), timeFormat) }),
    }),
    format_date: action({
      title: 'Change the format of a date',
      example: {
        inputDate: '2026-01-31',
        inputFormat: 'YYYY-MM-DD',
        inputTimeZone: 'UTC',
        outputFormat: 'DD/MM/YYYY',
        outputTimeZone: 'UTC',
      },
      isInternal: true,
      input: fields({
        inputDate: text.describe('Date to read'),
        inputFormat: dateFormat,
        inputTimeZone: zone.describe('Time zone of the date that is read'),
        outputFormat: dateFormat,
        outputTimeZone: zone.describe('Time zone of the output'),
      }),
      run: async ({ inputDate, inputFormat, inputTimeZone, outputFormat, outputTimeZone }) => {
        const ms = parseMillis('inputDate', inputDate, inputFormat, inputTimeZone)
        return done({ result: formatLocal(toLocal(ms, outputTimeZone), ms, outputFormat) })
      },
    }),
    extract_date_parts: action({
      title: 'Parts of a date',
      example: {
        inputDate: '2026-01-31',
        inputFormat: 'YYYY-MM-DD',
        unitExtract: ['year', 'dayOfWeek'],
      },
      isInternal: true,
      input: fields({
        inputDate: text.describe('Date to read'),
        inputFormat: dateFormat,
        unitExtract: units(['year', 'month', 'day', 'hour', 'minute', 'second', 'dayOfWeek', 'monthName']).describe(
          'Parts to return',
        ),
      }),
      run: async ({ inputDate, inputFormat, unitExtract }) => {
        const date = new Date(parseMillis('inputDate', inputDate, inputFormat, 'UTC'))
        return done(Object.fromEntries(unitExtract.map((it) => [it, extract[it]?.(date)])))
      },
    }),
    date_difference: action({
      title: 'Difference between two dates',
      example: {
        startDate: '2026-01-01',
        startDateFormat: 'YYYY-MM-DD',
        endDate: '2026-01-31',
        endDateFormat: 'YYYY-MM-DD',
        unitDifference: ['day'],
      },
      isInternal: true,
      input: fields({
        startDate: text.describe('First date'),
        startDateFormat: dateFormat,
        endDate: text.describe('Second date'),
        endDateFormat: dateFormat,
        unitDifference: units(['year', 'month', 'day', 'hour', 'minute', 'second']).describe(
          'Units in which the difference is returned',
        ),
      }),
      run: async (input) => {
        const start = parseMillis('startDate', input.startDate, input.startDateFormat, 'UTC')
        const difference = parseMillis('endDate', input.endDate, input.endDateFormat, 'UTC') - start
        return done(
          Object.fromEntries(input.unitDifference.map((unit) => [unit, Math.floor(difference / unitMs[unit])])),
        )
      },
    }),
    add_subtract_date: action({
      title: 'Add to a date, or subtract from it',
      example: {
        inputDate: '2026-01-31',
        inputDateFormat: 'YYYY-MM-DD',
        outputFormat: 'YYYY-MM-DD',
        expression: '+ 1 month - 2 day',
      },
      isInternal: true,
      input: fields({
        inputDate: text.describe('Date to read'),
        inputDateFormat: dateFormat,
        outputFormat: dateFormat,
        expression: text.describe('What to add, such as + 1 day - 2 hour'),
        timeZone: optionalZone,
        setTime: optionalClockTime,
        useCurrentTime: currentTime,
      }),
      run: async (input, { now }) => {
        const timeZone = input.timeZone ?? 'UTC'
        const ms = parseMillis('inputDate', input.inputDate, input.inputDateFormat, 'UTC')
        const local = toLocal(addExpression(ms, input.expression, timeZone), timeZone)
        // The public piece sets a time only in a time zone.
        const isSet = input.timeZone !== undefined && (input.useCurrentTime || input.setTime !== undefined)
        const time = { time: input.setTime ?? '00:00', currentTime: input.useCurrentTime }
        const moved = isSet ? dayOf(local) + timeOfDay(toLocal(millisOf(now), timeZone), time) : local
        return result(moved, timeZone, input.outputFormat)
      },
    }),
    next_day_of_week: action({
      title: 'Next day of the week',
      example: { weekday: 1, timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
      isInternal: true,
      input: fields({ weekday: integer(0, 6).describe('Day of the week; 0 is Sunday'), ...target }),
      run: async ({ weekday, timeFormat, timeZone, ...time }, { now }) => {
        const local = toLocal(millisOf(now), timeZone)
        const clock = timeOfDay(local, time)
        const days = weekday - new Date(local).getUTCDay()
        const isPast = days < 0 || (days === 0 && dayOf(local) + clock < local)
        return result(dayOf(local) + (isPast ? days + 7 : days) * dayMs + clock, timeZone, timeFormat)
      },
    }),
    next_day_of_year: action({
      title: 'Next day of the year',
      example: { month: 12, day: 24, timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
      isInternal: true,
      input: fields({
        month: integer(1, 12).describe('Month; 1 is January'),
        day: wholeNumber(1, 1, 31).describe('Day of the month'),
        ...target,
      }),
      run: async ({ month, day, timeFormat, timeZone, ...time }, { now }) => {
        const local = toLocal(millisOf(now), timeZone)
        const clock = timeOfDay(local, time)
        const year = new Date(local).getUTCFullYear()
        const [thisYear, nextYear] = [year, year + 1].map((it) => Date.UTC(it, month - 1, day) + clock) as [
          number,
          number,
        ]
        return result(thisYear < local ? nextYear : thisYear, timeZone, timeFormat)
      },
    }),
    first_day_of_previous_month: dayAction(
      'First day of the previous month',
      { timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
      (today) => firstOfMonth(today, -1),
    ),
    last_day_of_previous_month: dayAction(
      'Last day of the previous month',
      { timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
      (today) => firstOfMonth(today, 0) - dayMs,
    ),
  },
}
