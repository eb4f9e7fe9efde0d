import { expect, test } from 'vitest'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (action: string, input: object): Promise<unknown> =>
  outputOf(piece('@activepieces/piece-date-helper', action, input))
const day = 'YYYY-MM-DD'
const minute = 'YYYY-MM-DD HH:mm'

test.each<[string, object, unknown]>([
  [
    'format_date',
    { inputDate: '2026-11-24T10:30:00Z', inputFormat: 'YYYY-MM-DDTHH:mm:ss', outputFormat: 'DD/MM/YY' },
    '24/11/26',
  ],
  ['format_date', { inputDate: '09/17/2023', inputFormat: 'MM/DD/YYYY' }, 'Sun Sep 17 2023 00:00:00'],
  [
    'format_date',
    { inputDate: 'Sun Sep 17 2023 11:23:58', outputFormat: 'DDDD, MMMM D [at] h:mm a' },
    'Sunday, September 17 at 11:23 am',
  ],
  [
    'format_date',
    { inputDate: '1694949838', inputFormat: 'X', outputFormat: 'YYYY-MM-DD HH:mm:ss', outputTimeZone: 'Europe/Paris' },
    '2023-09-17 13:23:58',
  ],
  [
    'format_date',
    { inputDate: '2026-07-01 09:00', inputFormat: minute, inputTimeZone: 'America/New_York', outputFormat: 'x' },
    String(Date.UTC(2026, 6, 1, 13)),
  ],
  [
    'add_subtract_date',
    { inputDate: '2024-01-31', inputDateFormat: day, outputFormat: day, expression: '+ 1 month' },
    '2024-02-29',
  ],
  [
    'add_subtract_date',
    { inputDate: '2024-03-10', inputDateFormat: day, outputFormat: minute, expression: '-1 year 2 days + 3 hours' },
    '2023-03-08 03:00',
  ],
  [
    'add_subtract_date',
    {
      inputDate: '2026-03-28 12:00',
      inputDateFormat: minute,
      outputFormat: minute,
      expression: '+1 day',
      timeZone: 'Europe/Paris',
      setTime: '09:30',
    },
    '2026-03-29 09:30',
  ],
])('date-helper %s of %j is %j', async (action, input, expected) => {
  expect(await run(action, input)).toEqual({ result: expected })
})

test('differences count complete units, a year as 365 and a month as 30 days', async () => {
  const dates = { startDate: '2024-01-01', startDateFormat: day, endDate: '2025-03-01 12:00', endDateFormat: minute }
  expect(await run('date_difference', { ...dates, unitDifference: ['year', 'month', 'day', 'hour'] })).toEqual({
    year: 1,
    month: 14,
    day: 425,
    hour: 10_212,
  })
  expect(await run('date_difference', { ...dates, unitDifference: 'day' })).toEqual({ day: 425 })
})

test('parts of a date', async () => {
  const unitExtract = '["year", "month", "hour", "dayOfWeek", "monthName"]'
  expect(await run('extract_date_parts', { inputDate: '2026-11-24 10:30', inputFormat: minute, unitExtract })).toEqual({
    year: 2026,
    month: 11,
    hour: 10,
    dayOfWeek: 'Tuesday',
    monthName: 'November',
  })
})

// The clock shows midnight of Wednesday, 1 January 2031.
test.each<[string, object, string]>([
  ['get_current_date', {}, '2031-01-01 00:00'],
  ['next_day_of_week', { weekday: 3, time: '00:00' }, '2031-01-01 00:00'],
  ['next_day_of_week', { weekday: '3', time: '23:59', timeZone: 'America/New_York' }, '2031-01-01 23:59'],
  ['next_day_of_week', { weekday: 2, time: '18:00', timeZone: 'America/New_York' }, '2031-01-07 18:00'],
  ['next_day_of_week', { weekday: 1, currentTime: true }, '2031-01-06 00:00'],
  ['next_day_of_year', { month: 12, day: 31, timeZone: 'America/New_York' }, '2031-12-31 00:00'],
  ['next_day_of_year', { month: 12, day: 24, time: '18:00', timeZone: 'Europe/Paris' }, '2031-12-24 18:00'],
  ['first_day_of_previous_month', {}, '2030-12-01 00:00'],
  ['last_day_of_previous_month', { currentTime: true, timeZone: 'America/New_York' }, '2030-11-30 19:00'],
])('date-helper %s with %j follows the clock of the platform', async (action, input, expected) => {
  expect(await run(action, { timeFormat: minute, ...input })).toEqual({ result: expected })
})

test.each<[string, object, string]>([
  [
    'format_date',
    { inputDate: 'yesterday', inputFormat: day },
    'inputDate "yesterday" does not have the format YYYY-MM-DD.',
  ],
  ['format_date', { inputDate: '2026-02-30', inputFormat: day }, 'inputDate "2026-02-30" is not a date and time.'],
  [
    'format_date',
    { inputDate: '2026-01-01', outputTimeZone: 'Mars' },
    'outputTimeZone must be a time zone such as Europe/Paris.',
  ],
  [
    'add_subtract_date',
    { inputDate: '2026-01-01', inputDateFormat: day, expression: '+ 2 weeks' },
    'expression has the unit "weeks". Use year, month, day, hour, minute, second.',
  ],
  [
    'add_subtract_date',
    { inputDate: '2026-01-01', inputDateFormat: day, expression: 'tomorrow' },
    'expression must have numbers and units',
  ],
  ['extract_date_parts', { inputDate: '2026-01-01', inputFormat: day, unitExtract: ['century'] }, 'unitExtract'],
  [
    'format_date',
    { inputDate: '1'.repeat(59), inputFormat: 'HHmm'.repeat(15) },
    'has too many parts, or the same one twice.',
  ],
  [
    'add_subtract_date',
    { inputDate: '2026-01-01', inputDateFormat: day, expression: '1'.repeat(501) },
    'expression can have at most 500 characters.',
  ],
  ['next_day_of_week', {}, 'weekday is required.'],
  ['next_day_of_week', { weekday: 7 }, 'weekday must be'],
  ['next_day_of_week', { weekday: 1, time: '25:00' }, 'time must be a time such as 09:30.'],
])('date-helper %s refuses %j', async (action, input, message) => {
  await expect(run(action, input)).rejects.toThrow(message)
})
