import { zoneOffsetMs } from '../../../contract/values/zone-offset.ts'

const timePattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/

/** Days that were parsed, in milliseconds since 1970. Lists have many times of few days. */
const parsedDays = new Map<string, number>()
const maxParsedDays = 1000

function parseDay(text: string): number {
  const known = parsedDays.get(text)
  if (known !== undefined) return known
  if (parsedDays.size >= maxParsedDays) parsedDays.clear()
  const ms = Date.parse(`${text}T00:00:00Z`)
  parsedDays.set(text, ms)
  return ms
}

const utcPattern = /^\d{4}-\d\d-\d\d[T ][01]\d:[0-5]\d:[0-5]\d(?:\.\d{6})?Z?$/

/** Parses a time in UTC as platforms write it, which is several times as fast as parsing any time. */
function parseUtcTime(text: string): number {
  const digits = (at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
  const ms = text.charCodeAt(19) === 46 ? digits(20) * 10 + text.charCodeAt(22) - 48 : 0
  return parseDay(text.slice(0, 10)) + ((digits(11) * 60 + digits(14)) * 60 + digits(17)) * 1000 + ms
}

/** Parses a time of the platform to milliseconds since 1970; without a zone it is UTC. Undefined for other text. */
export function parseTime(text: string): number | undefined {
  if (utcPattern.test(text)) {
    const ms = parseUtcTime(text)
    return Number.isNaN(ms) ? undefined : ms
  }
  const parts = timePattern.exec(text)
  if (!parts) return undefined
  const [, day, clock, fraction = '', zone = 'Z'] = parts
  const ms = Date.parse(`${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Returns the UTC offset in minutes at a time, in the given zone or that of the machine. */
const zoneOffsetMinutes = (ms: number, timeZone: string | undefined): number =>
  timeZone === undefined ? -new Date(ms).getTimezoneOffset() : Math.round(zoneOffsetMs(ms, timeZone) / 60_000)

/** The last day that was formatted: the next time is often of the same day. */
let lastDay: readonly [day: number, text: string] | undefined

/** Formats a time in UTC as `2026-08-04 10:12:05`. */
function toPlainTime(ms: number): string {
  const day = Math.floor(ms / 86_400_000)
  if (lastDay?.[0] !== day) lastDay = [day, new Date(day * 86_400_000).toISOString().slice(0, -14)]
  const seconds = Math.floor((ms - day * 86_400_000) / 1000)
  return `${lastDay[1]} ${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

const two = (n: number): string => (n < 10 ? `0${n}` : String(n))

/** Formats a time in the given zone or that of the machine: `2026-08-04 10:12`. */
export const localTime = (ms: number, timeZone?: string): string =>
  toPlainTime(ms + zoneOffsetMinutes(ms, timeZone) * 60_000).slice(0, -3)

/** Formats a time of the platform in UTC for a sentence: `2026-08-04 10:12 UTC`. Other text is unchanged. */
export function describeTime(at: unknown): string {
  const ms = parseTime(String(at))
  return ms === undefined ? String(at) : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Formats a local time with its UTC offset: `2026-08-04 10:12:05 +02:00`. */
export function exactTime(ms: number, timeZone?: string): string {
  const minutes = zoneOffsetMinutes(ms, timeZone)
  const size = Math.abs(minutes)
  const local = toPlainTime(ms + minutes * 60_000)
  return `${local} ${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** Formats a time relative to now: `2 min ago`, `in 3 h`. Undefined if it is more than a day away. */
export function relativeTime(ms: number, now: number): string | undefined {
  const size = Math.abs(now - ms)
  if (size >= 86_400_000) return undefined
  if (size < 60_000) return ms <= now ? 'just now' : 'in a moment'
  const duration = size < 3_600_000 ? `${Math.floor(size / 60_000)} min` : `${Math.floor(size / 3_600_000)} h`
  return ms <= now ? `${duration} ago` : `in ${duration}`
}
