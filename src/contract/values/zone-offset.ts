/** Returns the offset of a time zone from UTC at a point in time, both in milliseconds. */
export function zoneOffsetMs(millis: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(millis)
  const of = (type: string): number => Number(parts.find((it) => it.type === type)?.value)
  return (
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) -
    Math.floor(millis / 1000) * 1000
  )
}
