import { parseDuration } from '../../../contract/values/duration.ts'
import type { Micros } from '../../../contract/values/micros.ts'

/** Parses a duration such as 90s, 30m, 24h, 31d or 4w, which the contract has checked, to microseconds. */
export const durationMicros = (text: string): Micros => (parseDuration(text) ?? Number.NaN) * 1000

/** Parses a time: ISO 8601, or a duration before `now`. */
export const parseTimeOrAge = (text: string, now: Micros): Micros =>
  parseDuration(text) === undefined ? Date.parse(text) * 1000 : now - durationMicros(text)
