import { parseDuration } from './duration.ts'
import type { Micros } from './micros.ts'

const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.(\d{1,6}))?)?(?:Z|[+-]\d\d:\d\d)$/
const agePattern = /^(\d{1,9}[smhdw]) ago$/
const aheadPattern = /^in (\d{1,9}[smhdw])$/

/**
 * Parses a time of sample data: ISO 8601 with a UTC offset and up to microseconds, an age such as `3d ago`, or `in 3d`.
 * Returns undefined for other text. Users have files with such times: it never accepts less.
 */
export function parseSampleTime(text: string, now: Micros): Micros | undefined {
  const ageMs = parseDuration(agePattern.exec(text)?.[1] ?? '')
  if (ageMs !== undefined) return now - ageMs * 1000
  const aheadMs = parseDuration(aheadPattern.exec(text)?.[1] ?? '')
  if (aheadMs !== undefined) return now + aheadMs * 1000
  const iso = isoPattern.exec(text)
  if (!iso) return undefined
  const ms = Date.parse(text.replace(/\.\d+/, ''))
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number((iso[1] ?? '').padEnd(6, '0'))
}
