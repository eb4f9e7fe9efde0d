import type { Micros } from '../../contract/values/micros.ts'
import { firstMillisAtLocal } from '../../contract/values/zone-offset.ts'

interface ScheduleSettings {
  readonly timezone?: string | null
  readonly schedule_windows?: readonly { readonly start: string; readonly end: string }[] | null
  readonly allowed_hours_start_time?: string | null
  readonly allowed_hours_end_time?: string | null
  readonly allowed_days?: readonly string[] | null
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const dayMs = 86_400_000

/** Returns the date and the time of day (`HH:MM`) in a time zone. */
function toLocalTime(now: Micros, zone: string): { readonly date: string; readonly time: string } {
  const [date = '', time = ''] = new Date(now / 1000).toLocaleString('sv-SE', { timeZone: zone }).split(' ')
  return { date, time: time.slice(0, 5) }
}

const addDays = (date: string, n: number): string => new Date(Date.parse(date) + n * dayMs).toISOString().slice(0, 10)
const weekday = (date: string): string => days[new Date(date).getUTCDay()] as string

const listWindows = ({ schedule_windows, allowed_hours_start_time, allowed_hours_end_time }: ScheduleSettings) =>
  schedule_windows && schedule_windows.length > 0
    ? schedule_windows
    : [{ start: allowed_hours_start_time ?? '00:00', end: allowed_hours_end_time ?? '23:59' }]

/**
 * Returns whether a campaign may contact leads at a time: within one of its windows, including the window's last
 * minute, on an allowed day. A window past midnight belongs to the day on which it starts.
 */
export function isWithinWindow(settings: ScheduleSettings, now: Micros): boolean {
  const { date, time } = toLocalTime(now, settings.timezone ?? 'UTC')
  const isAllowed = (it: string): boolean => !settings.allowed_days || settings.allowed_days.includes(weekday(it))
  return listWindows(settings).some(({ start, end }) => {
    if (start <= end) return start <= time && time <= end && isAllowed(date)
    return (time >= start && isAllowed(date)) || (time <= end && isAllowed(addDays(date, -1)))
  })
}

/** Returns when the next window starts; undefined when there is none. */
export function nextWindowStart(settings: ScheduleSettings, now: Micros): Micros | undefined {
  const zone = settings.timezone ?? 'UTC'
  const { date } = toLocalTime(now, zone)
  const starts: Micros[] = []
  for (let n = 0; n <= 8; n++) {
    const candidateDate = addDays(date, n)
    if (settings.allowed_days && !settings.allowed_days.includes(weekday(candidateDate))) continue
    for (const { start } of listWindows(settings)) {
      const at = firstMillisAtLocal(Date.parse(`${candidateDate}T${start}Z`), zone) * 1000
      if (at > now) starts.push(at)
    }
  }
  return starts.length > 0 ? Math.min(...starts) : undefined
}
