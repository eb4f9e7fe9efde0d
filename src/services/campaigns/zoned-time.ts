import { dateTimePattern } from '../../contract/resources/campaigns.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { zoneOffsetMs } from '../../contract/values/zone-offset.ts'

/**
 * Returns the time that a date and time of day denote: by its offset if it has one, else in the given zone. An hour
 * that the zone skips becomes the hour after it.
 */
export function parseZonedTime(text: string, zone: string): Micros {
  const [, date, time, seconds = '', offset] = dateTimePattern.exec(text) ?? []
  if (offset !== undefined) return Date.parse(`${date}T${time}${seconds}${offset}`) * 1000
  const localMs = Date.parse(`${date}T${time}${seconds}Z`)
  const utcGuess = localMs - zoneOffsetMs(localMs, zone)
  return (localMs - zoneOffsetMs(utcGuess, zone)) * 1000
}
