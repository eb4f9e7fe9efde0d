import { dateTimePattern } from '../../contract/resources/campaigns.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { localToMillis } from '../../contract/values/zone-offset.ts'

/**
 * Returns the time that a date and time of day denote: by its offset if it has one, else in the given zone. A time that
 * the zone skips is moved by the length of the gap.
 */
export function parseZonedTime(text: string, zone: string): Micros {
  const [, date, time, seconds = '', offset] = dateTimePattern.exec(text) ?? []
  if (offset !== undefined) return Date.parse(`${date}T${time}${seconds}${offset}`) * 1000
  return localToMillis(Date.parse(`${date}T${time}${seconds}Z`), zone) * 1000
}
