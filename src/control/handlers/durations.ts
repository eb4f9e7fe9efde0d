import { day, hour, type Micros, minute, second } from '../../jobs/clock.ts'

const units: Readonly<Record<string, Micros>> = { s: second, m: minute, h: hour, d: day, w: 7 * day }

/** A span as people write it: 90s, 30m, 24h, 31d, 4w. */
export const parseDuration = (text: string): Micros =>
  Number(text.slice(0, -1)) * (units[text.at(-1) as string] as Micros)

/** A moment as people write it: ISO 8601, or a span before `now`. */
export const parseTimeOrAge = (text: string, now: Micros): Micros =>
  /^\d+[smhdw]$/.test(text) ? now - parseDuration(text) : Date.parse(text) * 1000
