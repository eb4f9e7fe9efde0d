import type { WaitingContact } from '../resources/contacts.ts'
import { day, type Micros } from './micros.ts'
import type { ZonesOfNumber } from './number-zones.ts'
import { firstMillisAtLocal, zoneOffsetMs } from './zone-offset.ts'

/** Settings that decide when a person may be contacted. Stored campaigns have them as JSON: the names never change. */
export interface ContactHours {
  readonly schedule_windows?: readonly { readonly start: string; readonly end: string }[] | null | undefined
  readonly allowed_hours_start_time?: string | null | undefined
  readonly allowed_hours_end_time?: string | null | undefined
  readonly allowed_days?: readonly string[] | null | undefined
  /** Dates (`YYYY-MM-DD`), and days of every year (`MM-DD`), without contacts. */
  readonly holidays?: readonly string[] | null | undefined
}

/** Returns whether an account has hours, days or holidays. */
export const hasLimits = <T extends ContactHours>(hours: T | undefined): hours is T =>
  (hours?.schedule_windows ?? hours?.allowed_days ?? hours?.holidays ?? null) !== null

/** Days as `allowed_days` names them, in the order of `Date.getUTCDay`. */
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const dayMs = 86_400_000
/** How far an opening is searched. Zones whose hours never overlap are found out before long. */
const searchedDays = 60

/** Returns the date and the time of day (`HH:MM`) in a time zone. */
function toLocalTime(now: Micros, zone: string): { readonly date: string; readonly time: string } {
  const millis = Math.floor(now / 1000)
  const local = new Date(millis + zoneOffsetMs(millis, zone)).toISOString()
  return { date: local.slice(0, 10), time: local.slice(11, 16) }
}

const addDays = (date: string, n: number): string => new Date(Date.parse(date) + n * dayMs).toISOString().slice(0, 10)

const isHoliday = ({ holidays }: ContactHours, date: string): boolean =>
  holidays?.some((it) => it === date || it === date.slice(5)) === true

const isAllowedDate = (hours: ContactHours, date: string): boolean =>
  (!hours.allowed_days || hours.allowed_days.includes(days[new Date(date).getUTCDay()] ?? '')) &&
  !isHoliday(hours, date)

const listWindows = ({ schedule_windows, allowed_hours_start_time, allowed_hours_end_time }: ContactHours) =>
  schedule_windows && schedule_windows.length > 0
    ? schedule_windows
    : [{ start: allowed_hours_start_time ?? '00:00', end: allowed_hours_end_time ?? '23:59' }]

/**
 * Returns whether a time of day is before the end of a window: one until 18:00 is closed at 18:00. Because no
 * field can say 24:00, 23:59 is the end of the day; and a window of a campaign that starts when it ends is open for this minute.
 */
const isBeforeEnd = (time: string, { start, end }: { readonly start: string; readonly end: string }): boolean =>
  time < end || (time === end && (end === '23:59' || end === start))

/**
 * Returns whether the hours are open in a time zone: within one of the windows, on an allowed day. A window past midnight
 * belongs to the day on which it starts, and ends where a holiday begins.
 */
function isOpenIn(hours: ContactHours, zone: string, now: Micros): boolean {
  const { date, time } = toLocalTime(now, zone)
  if (isHoliday(hours, date)) return false
  return listWindows(hours).some((window) => {
    const isEarly = isBeforeEnd(time, window)
    if (window.start <= window.end) return window.start <= time && isEarly && isAllowedDate(hours, date)
    return (time >= window.start && isAllowedDate(hours, date)) || (isEarly && isAllowedDate(hours, addDays(date, -1)))
  })
}

/** Returns when the next window starts in a time zone; undefined when there is none. */
function nextStartIn(hours: ContactHours, zone: string, now: Micros): Micros | undefined {
  const { date: today } = toLocalTime(now, zone)
  for (let n = 0; n <= searchedDays; n++) {
    const date = addDays(today, n)
    if (!isAllowedDate(hours, date)) continue
    const starts = listWindows(hours)
      .map(({ start }) => firstMillisAtLocal(Date.parse(`${date}T${start}Z`), zone) * 1000)
      .filter((it) => it > now)
    if (starts.length > 0) return Math.min(...starts)
  }
  return undefined
}

/** Hours, and the time zones in every one of which they must be open. */
export interface ZonedHours {
  readonly hours: ContactHours
  readonly zones: readonly string[]
}

/**
 * Returns whether all of some hours are open at a time, in every one of their time zones. The platform sends and calls by it;
 * commands only say with the functions of this file what it will do.
 */
export const isOpenAt = (all: readonly ZonedHours[], now: Micros): boolean =>
  all.every(({ hours, zones }) => zones.every((it) => isOpenIn(hours, it, now)))

/** Returns what closes the first hours that are closed at a time, and in which time zone; undefined if all are open. */
export function findClosed(
  all: readonly ZonedHours[],
  now: Micros,
): { readonly reason: NonNullable<WaitingContact['closed_by']>; readonly zone: string } | undefined {
  for (const { hours, zones } of all) {
    const zone = zones.find((it) => !isOpenIn(hours, it, now))
    if (zone === undefined) continue
    const { date } = toLocalTime(now, zone)
    if (isHoliday(hours, date)) return { reason: 'holiday', zone }
    return { reason: isAllowedDate(hours, date) ? 'hours' : 'day', zone }
  }
  return undefined
}

/** Returns the time zones of a recipient in the hours of an account: those of the number, or else that of the account. */
export function zonesOfRecipient(
  zonesOf: ZonesOfNumber,
  phone: string,
  timezone: string | null | undefined,
): { readonly zones: readonly string[]; readonly source: 'number' | 'account' } {
  const zones = zonesOf(phone)
  return zones.length > 0 ? { zones, source: 'number' } : { zones: [timezone ?? 'UTC'], source: 'account' }
}

/**
 * Returns the first time, not before `now`, at which all of some hours are open in every one of their time zones; undefined
 * when there is none in the next two months.
 */
export function nextOpening(all: readonly ZonedHours[], now: Micros): Micros | undefined {
  const zoned = all.flatMap(({ hours, zones }) => zones.map((zone) => ({ hours, zone })))
  for (let at = now; at <= now + searchedDays * day; ) {
    const closed = zoned.findIndex((it) => !isOpenIn(it.hours, it.zone, at))
    const [first] = closed < 0 ? [] : zoned.splice(closed, 1)
    if (!first) return at
    const start = nextStartIn(first.hours, first.zone, at)
    if (start === undefined) return undefined
    at = start
    // Zones that exclude each other come first, so that most of the others are not evaluated.
    zoned.unshift(first)
  }
  return undefined
}
