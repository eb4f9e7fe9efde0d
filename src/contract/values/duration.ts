const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses a duration such as 90s, 30m, 2h, 7d or 1w to milliseconds; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, n, unit] = /^(\d+)([smhdw])$/.exec(text) ?? []
  return unit === undefined ? undefined : Number(n) * (unitMs[unit] as number)
}
