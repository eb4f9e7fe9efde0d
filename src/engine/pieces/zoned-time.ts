import * as z from '../../contract/schema/schema.ts'
import { localToMillis } from '../../contract/values/zone-offset.ts'
import { toMillis } from './input-fields.ts'

/** Date and time as text. Without a time zone it is in the zone of a separate field. */
export const zonedDateTime = z.preprocess(
  (it) => (typeof it === 'number' ? String(it) : typeof it === 'string' ? it.trim() : it),
  z.string({ error: 'must be a date and time' }).refine((it) => toMillis(it) !== undefined, 'must be a date and time'),
)

const hasZone = (text: string): boolean =>
  /^\d+$/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''))

/**
 * Parses a date and time to milliseconds since the epoch. Without an offset it is a local time in `zone`; see
 * localToMillis for clock changes.
 */
export function parseZonedMillis(text: string, zone: string): number {
  const localMs = toMillis(text) as number
  return hasZone(text) ? localMs : localToMillis(localMs, zone)
}
