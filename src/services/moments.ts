import { momentForm } from '../contract/campaigns.ts'
import { zoneOffset } from '../contract/zone-offset.ts'
import type { Micros } from '../events/clock.ts'

/** The moment a day and a time mean: by their own offset, else in the zone given. An hour that a zone skips is the one after it. */
export function momentOf(text: string, zone: string): Micros {
  const [, date, time, seconds = '', offset] = momentForm.exec(text) ?? []
  if (offset !== undefined) return Date.parse(`${date}T${time}${seconds}${offset}`) * 1000
  const there = Date.parse(`${date}T${time}${seconds}Z`)
  const guess = there - zoneOffset(there, zone)
  return (there - zoneOffset(guess, zone)) * 1000
}
