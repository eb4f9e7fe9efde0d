import { usageError } from '../errors/usage-error.ts'

const spanMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Parses a time, or a duration before now such as 2h or 7d, to milliseconds since 1970; undefined if the flag is
 * missing. @throws ClientFailure `usage`
 */
export function parseTimeFlag(given: unknown, flag: string, now: number): number | undefined {
  if (given === undefined) return undefined
  const text = String(given)
  const [, n, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const at = unit === undefined ? Date.parse(text) : now - Number(n) * (spanMs[unit] as number)
  if (Number.isNaN(at))
    throw usageError(`Invalid ${flag} "${text}". Use a time such as 2026-01-31T09:00, or a duration such as 2h or 7d.`)
  return at
}
