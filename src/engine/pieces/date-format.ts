import * as z from '../../contract/schema/schema.ts'
import { localToMillis } from '../../contract/values/zone-offset.ts'
import { toMillis } from './input-fields.ts'
import { StepFailure } from './step-failure.ts'

/** Local date and time without a zone, as its milliseconds since the epoch in UTC. */
export type LocalMillis = number

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const short = (name: string): string => name.slice(0, 3)

/** Returns the English name of the month of a local time. */
export const monthName = (local: LocalMillis): string => months[new Date(local).getUTCMonth()] as string
/** Returns the English name of the weekday of a local time. */
export const weekdayName = (local: LocalMillis): string => weekdays[new Date(local).getUTCDay()] as string

const pad = (value: number, width: number): string => String(value).padStart(width, '0')
const toHour12 = (hour: number): number => hour % 12 || 12

/** Parts of a date that a format can name. */
interface DateParts {
  year?: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
  millisecond?: number
  /** Time as milliseconds since the epoch, which no zone changes. */
  epochMs?: number
  isAfternoon?: boolean
}

interface Token {
  readonly pattern: string
  readonly format: (date: Date, ms: number) => string
  /** Missing for what follows from the other parts, such as the weekday. */
  readonly read?: (parts: DateParts, text: string) => void
}

const numberToken = (
  part: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond',
  pattern: string,
  format: Token['format'],
): Token => ({
  pattern,
  format,
  read: (parts, text) => {
    parts[part] = Number(text)
  },
})

const nameToken = (
  names: readonly string[],
  format: Token['format'],
  read?: (n: number, parts: DateParts) => void,
) => ({
  pattern: names.join('|'),
  format,
  ...(read && {
    read: (parts: DateParts, text: string) =>
      read(
        names.findIndex((it) => it.toLowerCase() === text.toLowerCase()),
        parts,
      ),
  }),
})
const readMonth = (n: number, parts: DateParts): void => {
  parts.month = n + 1
}
const weekdayToken = (format: Token['format']): Token => nameToken([...weekdays, ...weekdays.map(short)], format)
const readAfternoon = (parts: DateParts, text: string): void => {
  parts.isAfternoon = text.toLowerCase() === 'pm'
}
const meridiem = (date: Date): string => (date.getUTCHours() < 12 ? 'am' : 'pm')
const longWeekday = weekdayToken((it) => weekdayName(it.getTime()))
const shortWeekday = weekdayToken((it) => short(weekdayName(it.getTime())))

/**
 * Tokens of formats, as in the public piece: longer ones first, and DDDD and DDD are weekdays. Saved definitions have
 * such formats.
 */
const tokens: Readonly<Record<string, Token>> = {
  YYYY: numberToken('year', '\\d{4}', (it) => pad(it.getUTCFullYear(), 4)),
  YY: {
    pattern: '\\d{2}',
    format: (it) => pad(it.getUTCFullYear() % 100, 2),
    read: (parts, text) => {
      parts.year = Number(text) + (Number(text) > 68 ? 1900 : 2000)
    },
  },
  MMMM: nameToken(months, (it) => monthName(it.getTime()), readMonth),
  MMM: nameToken(months.map(short), (it) => short(monthName(it.getTime())), readMonth),
  MM: numberToken('month', '\\d{1,2}', (it) => pad(it.getUTCMonth() + 1, 2)),
  M: numberToken('month', '\\d{1,2}', (it) => String(it.getUTCMonth() + 1)),
  DDDD: longWeekday,
  dddd: longWeekday,
  DDD: shortWeekday,
  ddd: shortWeekday,
  DD: numberToken('day', '\\d{1,2}', (it) => pad(it.getUTCDate(), 2)),
  D: numberToken('day', '\\d{1,2}', (it) => String(it.getUTCDate())),
  HH: numberToken('hour', '\\d{1,2}', (it) => pad(it.getUTCHours(), 2)),
  H: numberToken('hour', '\\d{1,2}', (it) => String(it.getUTCHours())),
  hh: numberToken('hour', '\\d{1,2}', (it) => pad(toHour12(it.getUTCHours()), 2)),
  h: numberToken('hour', '\\d{1,2}', (it) => String(toHour12(it.getUTCHours()))),
  mm: numberToken('minute', '\\d{1,2}', (it) => pad(it.getUTCMinutes(), 2)),
  m: numberToken('minute', '\\d{1,2}', (it) => String(it.getUTCMinutes())),
  SSS: numberToken('millisecond', '\\d{3}', (it) => pad(it.getUTCMilliseconds(), 3)),
  ss: numberToken('second', '\\d{1,2}', (it) => pad(it.getUTCSeconds(), 2)),
  s: numberToken('second', '\\d{1,2}', (it) => String(it.getUTCSeconds())),
  A: { pattern: 'AM|PM', format: (it) => meridiem(it).toUpperCase(), read: readAfternoon },
  a: { pattern: 'am|pm', format: meridiem, read: readAfternoon },
  X: {
    pattern: '-?\\d{1,11}(?:\\.\\d{1,3})?',
    format: (_, ms) => String(Math.floor(ms / 1000)),
    read: (parts, text) => {
      parts.epochMs = Number(text) * 1000
    },
  },
  x: {
    pattern: '-?\\d{1,14}',
    format: (_, ms) => String(ms),
    read: (parts, text) => {
      parts.epochMs = Number(text)
    },
  },
}
/** A token, or literal text in brackets. */
const tokenPattern = new RegExp(`\\[([^\\]]*)\\]|${Object.keys(tokens).join('|')}`, 'g')
/** Maximum parts of a date in a format that is parsed. */
const maxTokens = 10
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Formats a local time. `ms` is the same time in milliseconds since the epoch, for X and x. */
export const formatLocal = (local: LocalMillis, ms: number, format: string): string =>
  format.replace(
    tokenPattern,
    (token, literal: string | undefined) => literal ?? tokens[token]?.format(new Date(local), ms) ?? token,
  )

/**
 * Parses a date with a format. Text after it is ignored, so that a format of a day also reads a time. Missing parts are
 * those of midnight on the first day of January 1970.
 * @throws StepFailure that names the field
 */
export function parseLocal(
  field: string,
  text: string,
  format: string,
): { readonly local: LocalMillis } | { readonly epochMs: number } {
  const found: Token[] = []
  let pattern = ''
  let at = 0
  for (const match of format.matchAll(tokenPattern)) {
    const token = tokens[match[0]]
    pattern += escaped(format.slice(at, match.index)) + (token ? `(${token.pattern})` : escaped(match[1] ?? ''))
    // Without this limit, a long format could take exponential time to match.
    if (token && (found.includes(token) || found.length === maxTokens))
      throw new StepFailure(`The format ${format.slice(0, 40)} of ${field} has too many parts, or the same one twice.`)
    if (token) found.push(token)
    at = match.index + match[0].length
  }
  const match = new RegExp(`^\\s*${pattern}`, 'i').exec(text)
  if (!match || found.length === 0) throw new StepFailure(`${field} "${text}" does not have the format ${format}.`)
  const parts: DateParts = {}
  for (const [n, token] of found.entries()) token.read?.(parts, match[n + 1] as string)
  if (parts.epochMs !== undefined) return { epochMs: parts.epochMs }
  const { year = 1970, month = 1, day = 1, minute = 0, second = 0, millisecond = 0, isAfternoon } = parts
  const hour = isAfternoon === undefined ? (parts.hour ?? 0) : ((parts.hour ?? 12) % 12) + (isAfternoon ? 12 : 0)
  const local = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  const isReal =
    month >= 1 && month <= 12 && new Date(local).getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  if (!isReal) throw new StepFailure(`${field} "${text}" is not a date and time.`)
  return { local }
}

/** Date and time as text. Without a time zone it is in the zone of a separate field. */
export const zonedDateTime = z.preprocess(
  (it) => (typeof it === 'number' ? String(it) : typeof it === 'string' ? it.trim() : it),
  z.string({ error: 'must be a date and time' }).refine((it) => toMillis(it) !== undefined, 'must be a date and time'),
)

const hasZone = (text: string): boolean =>
  /^\d+$/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''))

/**
 * Parses a date and time to milliseconds since the epoch. Without an offset it is a local time in `zone`; see
 * localToMillis for clock changes.
 */
export function parseZonedMillis(text: string, zone: string): number {
  const localMs = toMillis(text) as number
  return hasZone(text) ? localMs : localToMillis(localMs, zone)
}
