import * as z from '../../contract/schema/schema.ts'
import { zoneOffsetMs } from '../../contract/values/zone-offset.ts'
import { toMillis } from './input-fields.ts'

/** Date and time as text. Without a time zone it is in the zone of a separate field. */
export const zonedDateTime = z.preprocess(
  (it) => (typeof it === 'number' ? String(it) : typeof it === 'string' ? it.trim() : it),
  z.string({ error: 'must be a date and time' }).refine((it) => toMillis(it) !== undefined, 'must be a date and time'),
)

const hasZone = (text: string): boolean =>
  /^\d+$/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''))

/**
 * Parses a date and time to milliseconds since the epoch. Without an offset it is a local time in `zone`.
 * A local time that is skipped by a clock change is moved by the length of the gap. For one that occurs twice, the
 * first is used.
 */
export function parseZonedMillis(text: string, zone: string): number {
  const localMs = toMillis(text) as number
  return hasZone(text) ? localMs : localToMillis(localMs, zone)
}

/**
 * Converts a local time, given as its milliseconds in UTC, to milliseconds since the epoch. See parseZonedMillis for clock
 * changes.
 */
export function localToMillis(localMs: number, zone: string): number {
  const offsets = [zoneOffsetMs(localMs - 86_400_000, zone), zoneOffsetMs(localMs + 86_400_000, zone)]
  const candidates = offsets.map((it) => localMs - it).filter((it) => it + zoneOffsetMs(it, zone) === localMs)
  return candidates.length > 0 ? Math.min(...candidates) : localMs - (offsets[0] as number)
}
