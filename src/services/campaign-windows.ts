import type { Micros } from '../events/clock.ts'
import { momentOf } from './moments.ts'

interface Hours {
  readonly timezone?: string | null
  readonly schedule_windows?: readonly { readonly start: string; readonly end: string }[] | null
  readonly allowed_hours_start_time?: string | null
  readonly allowed_hours_end_time?: string | null
  readonly allowed_days?: readonly string[] | null
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const dayMs = 86_400_000

/** Date and minute of the day in a zone. */
function local(now: Micros, zone: string): { readonly date: string; readonly time: string } {
  const [date = '', time = ''] = new Date(now / 1000).toLocaleString('sv-SE', { timeZone: zone }).split(' ')
  return { date, time: time.slice(0, 5) }
}

const dateAfter = (date: string, n: number): string => new Date(Date.parse(date) + n * dayMs).toISOString().slice(0, 10)
const weekday = (date: string): string => days[new Date(date).getUTCDay()] as string

const windowsOf = ({ schedule_windows, allowed_hours_start_time, allowed_hours_end_time }: Hours) =>
  schedule_windows && schedule_windows.length > 0 ? schedule_windows : [{ start: allowed_hours_start_time ?? '00:00', end: allowed_hours_end_time ?? '23:59' }]

/** Whether a campaign may work at a moment: in one of its windows, whose last minute is part of it, on a day that is allowed. A window past midnight belongs to the day it begins. */
export function isOpen(hours: Hours, now: Micros): boolean {
  const { date, time } = local(now, hours.timezone ?? 'UTC')
  const isAllowed = (it: string): boolean => !hours.allowed_days || hours.allowed_days.includes(weekday(it))
  return windowsOf(hours).some(({ start, end }) => {
    if (start <= end) return start <= time && time <= end && isAllowed(date)
    return (time >= start && isAllowed(date)) || (time <= end && isAllowed(dateAfter(date, -1)))
  })
}

/** When a campaign that may not work now may begin again; undefined when never. */
export function nextOpening(hours: Hours, now: Micros): Micros | undefined {
  const zone = hours.timezone ?? 'UTC'
  const { date } = local(now, zone)
  const found: Micros[] = []
  for (let n = 0; n <= 8; n++) {
    const then = dateAfter(date, n)
    if (hours.allowed_days && !hours.allowed_days.includes(weekday(then))) continue
    for (const { start } of windowsOf(hours)) {
      const at = momentOf(`${then}T${start}`, zone)
      if (at > now) found.push(at)
    }
  }
  return found.length > 0 ? Math.min(...found) : undefined
}
