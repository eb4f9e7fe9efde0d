import * as z from 'zod'
import { zoneOffsetMs } from '../../contract/values/zone-offset.ts'
import { toMillis } from './input-fields.ts'

/** A moment as it was written; where it has no zone it belongs to one that is named beside it. */
export const zonedDateTime = z.preprocess(
  (it) => (typeof it === 'number' ? String(it) : typeof it === 'string' ? it.trim() : it),
  z.string({ error: 'must be a date and time' }).refine((it) => toMillis(it) !== undefined, 'must be a date and time'),
)

const hasZone = (text: string): boolean =>
  /^\d+$/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''))

/**
 * Milliseconds since the epoch of a moment as people write it; one without a zone is what clocks in `zone` show. A time that clocks skip is as long after
 * the gap as it stands in it, one that they show twice is the first.
 */
export function parseZonedMillis(text: string, zone: string): number {
  const localMs = toMillis(text) as number
  if (hasZone(text)) return localMs
  const offsets = [zoneOffsetMs(localMs - 86_400_000, zone), zoneOffsetMs(localMs + 86_400_000, zone)]
  const candidates = offsets.map((it) => localMs - it).filter((it) => it + zoneOffsetMs(it, zone) === localMs)
  return candidates.length > 0 ? Math.min(...candidates) : localMs - (offsets[0] as number)
}
