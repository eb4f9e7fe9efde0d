// Local times of time zones. Schedules, campaign hours and dates in files depend on them, also on the days of a clock change.

const formatters = new Map<string, Intl.DateTimeFormat>()
/** Maximum number of formatters. A formatter takes longer to create than to use, but zone names come from users. */
const maxFormatters = 1000

/** Returns the offset of a time zone from UTC at a point in time, both in milliseconds. */
export function zoneOffsetMs(millis: number, zone: string): number {
  const parts = formatterOf(zone).formatToParts(millis)
  const of = (type: string): number => Number(parts.find((it) => it.type === type)?.value)
  return (
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) -
    Math.floor(millis / 1000) * 1000
  )
}

/**
 * Converts a local time, given as its milliseconds in UTC, to milliseconds since the epoch. A local time that is skipped
 * by a clock change is moved by the length of the gap. For one that occurs twice, the first is used.
 */
export function localToMillis(localMs: number, zone: string): number {
  const offsets = [zoneOffsetMs(localMs - 86_400_000, zone), zoneOffsetMs(localMs + 86_400_000, zone)]
  const candidates = offsets.map((it) => localMs - it).filter((it) => it + zoneOffsetMs(it, zone) === localMs)
  return candidates.length > 0 ? Math.min(...candidates) : localMs - (offsets[0] as number)
}

/** Returns the first time since which a local time has been reached: for a skipped one, the time of the clock change. */
export function firstMillisAtLocal(localMs: number, zone: string): number {
  const hasReached = (millis: number): boolean => millis + zoneOffsetMs(millis, zone) >= localMs
  let reached = localToMillis(localMs, zone)
  const skippedMs = reached + zoneOffsetMs(reached, zone) - localMs
  let earlier = reached - skippedMs
  while (reached - earlier > 1000) {
    const middle = Math.floor((earlier + reached) / 2000) * 1000
    if (hasReached(middle)) reached = middle
    else earlier = middle
  }
  return reached
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formatters.size >= maxFormatters) formatters.clear()
  formatters.set(timeZone, formatter)
  return formatter
}
