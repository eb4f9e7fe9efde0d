import { momentForm } from '../contract/campaigns.ts'
import type { Micros } from '../events/clock.ts'

/** Minutes a zone is ahead of UTC at a moment in milliseconds. */
function minutesAhead(zone: string, ms: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(ms)
  const of = (type: string): number => Number(parts.find((it) => it.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) / 60_000 - Math.floor(ms / 60_000)
}

/** The moment a day and a time mean: by their own offset, else in the zone given. An hour that a zone skips is the one after it. */
export function momentOf(text: string, zone: string): Micros {
  const [, date, time, seconds = '', offset] = momentForm.exec(text) ?? []
  if (offset !== undefined) return Date.parse(`${date}T${time}${seconds}${offset}`) * 1000
  const there = Date.parse(`${date}T${time}${seconds}Z`)
  const guess = there - minutesAhead(zone, there) * 60_000
  return (there - minutesAhead(zone, guess) * 60_000) * 1000
}
