import { parseDuration } from '../../contract/values/duration.ts'
import { usageError } from '../errors/usage-error.ts'

/**
 * Parses a time, or a duration before now such as 2h or 7d, to milliseconds since 1970; undefined if the flag is
 * missing. @throws ClientFailure `usage`
 */
export function parseTimeFlag(given: unknown, flag: string, now: number): number | undefined {
  if (given === undefined) return undefined
  const text = String(given)
  const spanMs = parseDuration(text)
  const at = spanMs === undefined ? Date.parse(text) : now - spanMs
  if (Number.isNaN(new Date(at).getTime()))
    throw usageError(`Invalid ${flag} "${text}". Use a time such as 2026-01-31T09:00, or a duration such as 2h or 7d.`)
  return at
}
