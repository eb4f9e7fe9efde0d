import { zoneOffsetMs } from '../../contract/values/zone-offset.ts'

const timePattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/

/** Parses a time of the platform to milliseconds since 1970; without a zone it is UTC. Undefined for other text. */
export function parseTime(text: string): number | undefined {
  const parts = timePattern.exec(text)
  if (!parts) return undefined
  const [, day, clock, fraction = '', zone = 'Z'] = parts
  const ms = Date.parse(`${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Returns the UTC offset in minutes at a time, in the given zone or that of the machine. */
const zoneOffsetMinutes = (ms: number, timeZone: string | undefined): number =>
  timeZone === undefined ? -new Date(ms).getTimezoneOffset() : Math.round(zoneOffsetMs(ms, timeZone) / 60_000)

/** Formats a time in the given zone or that of the machine: `2026-08-04 10:12`. */
export function localTime(ms: number, timeZone?: string): string {
  return new Date(ms + zoneOffsetMinutes(ms, timeZone) * 60_000).toISOString().slice(0, 16).replace('T', ' ')
}

/** Formats a time of the platform in UTC for a sentence: `2026-08-04 10:12 UTC`. Other text is unchanged. */
export function describeTime(at: unknown): string {
  const ms = parseTime(String(at))
  return ms === undefined ? String(at) : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Formats a local time with its UTC offset: `2026-08-04 10:12:05 +02:00`. */
export function exactTime(ms: number, timeZone?: string): string {
  const minutes = zoneOffsetMinutes(ms, timeZone)
  const size = Math.abs(minutes)
  const two = (n: number): string => String(n).padStart(2, '0')
  const local = new Date(ms + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')
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
