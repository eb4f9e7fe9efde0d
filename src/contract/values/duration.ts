/** The units that users write in flags, files and scripts. One is added, never removed. */
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Form of a duration in requests. Its text is in the OpenAPI document. */
export const durationPattern = /^\d{1,9}(s|m|h|d|w)$/

/** Parses a duration such as 90s, 30m, 2h, 7d or 1w to milliseconds; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, n, unit] = /^(\d+)([smhdw])$/.exec(text) ?? []
  return unit === undefined ? undefined : Number(n) * (unitMs[unit] as number)
}

/** Formats a duration in seconds for people: `45 s`, `3 min 20 s`, `2 h 5 min`, `7 days`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min${whole % 60 === 0 ? '' : ` ${whole % 60} s`}`
  if (whole < 172_800)
    return `${Math.floor(whole / 3600)} h${whole % 3600 < 60 ? '' : ` ${Math.floor((whole % 3600) / 60)} min`}`
  return `${Math.floor(whole / 86_400)} days${whole % 86_400 < 3600 ? '' : ` ${Math.floor((whole % 86_400) / 3600)} h`}`
}
