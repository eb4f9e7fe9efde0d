import { day, hour, type Micros, minute, second } from '../../jobs/clock.ts'

const units: Readonly<Record<string, Micros>> = { s: second, m: minute, h: hour, d: day, w: 7 * day }

/** Parses a duration such as 90s, 30m, 24h, 31d or 4w. */
export const parseDuration = (text: string): Micros =>
  Number(text.slice(0, -1)) * (units[text.at(-1) as string] as Micros)

/** Parses a time: ISO 8601, or a duration before `now`. */
export const parseTimeOrAge = (text: string, now: Micros): Micros =>
  /^\d+[smhdw]$/.test(text) ? now - parseDuration(text) : Date.parse(text) * 1000
