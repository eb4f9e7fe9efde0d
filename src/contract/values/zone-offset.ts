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
