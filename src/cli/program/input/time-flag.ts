import { parseDuration } from '../../../contract/values/duration.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

const dayMs = 86_400_000
const startOfDay = (ms: number): number => ms - (ms % dayMs)
const datePattern = /^\d{4}-\d\d-\d\d$/
const timePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

/** A point in time, or a whole day in UTC, in milliseconds since 1970. `to` is the first millisecond after it. */
interface TimeSpan {
  readonly from: number
  readonly to: number
  /** Whether it depends on the current time. */
  readonly isRelative: boolean
}

/**
 * Parses a time, a day (`2026-11-01`, `today`, `yesterday`), or a duration before now such as 2h or 7d. Days are in UTC.
 * Returns undefined for other text.
 */
export function parseTime(text: string, now: number): TimeSpan | undefined {
  const span = (from: number, lengthMs: number, isRelative: boolean): TimeSpan | undefined =>
    Number.isNaN(new Date(from).getTime()) ? undefined : { from, to: from + lengthMs, isRelative }
  if (text === 'now') return span(now, 1, true)
  if (text === 'today') return span(startOfDay(now), dayMs, true)
  if (text === 'yesterday') return span(startOfDay(now) - dayMs, dayMs, true)
  const durationMs = parseDuration(text)
  if (durationMs !== undefined) return span(now - durationMs, 1, true)
  if (datePattern.test(text)) return span(Date.parse(text), dayMs, false)
  return timePattern.test(text) ? span(Date.parse(text), 1, false) : undefined
}

/** Creates the error for an invalid time. */
export const invalidTime = (flag: string, text: string): Error =>
  usageError(
    `Invalid ${flag} "${text}". Use a time such as 2026-01-31T09:00, a day such as 2026-01-31 or yesterday, or a duration such as 2h or 7d.`,
  )

/**
 * Parses the value of a flag to milliseconds since 1970: a time, the start of a day in UTC, or a duration before now.
 * Undefined if the flag is missing. @throws ClientFailure `usage`
 */
export function parseTimeFlag(given: unknown, flag: string, now: number): number | undefined {
  if (given === undefined) return undefined
  const text = String(given)
  const span = parseTime(text, now)
  if (!span) throw invalidTime(flag, text)
  return span.from
}

/** Returns whether a text is a time that depends on the current time. */
export const isRelativeTime = (text: string): boolean => parseTime(text, 0)?.isRelative === true

/**
 * Parses the value of a flag that selects records of the platform: a relative time counts from the time of the platform,
 * which is read for it. @throws ClientFailure `usage`, or of the read
 */
export async function parsePlatformTime(
  { platformNow }: Pick<Context, 'platformNow'>,
  given: unknown,
  flag: string,
): Promise<number | undefined> {
  return parseTimeFlag(given, flag, isRelativeTime(String(given)) ? await platformNow() : 0)
}

/**
 * Parses --since and --until of records of the platform, both in milliseconds since 1970. @throws ClientFailure `usage`, also for a
 * period in which there can be nothing
 */
export async function parsePlatformPeriod(
  context: Pick<Context, 'platformNow'>,
  given: { readonly since?: unknown; readonly until?: unknown },
): Promise<{ readonly since: number | undefined; readonly until: number | undefined }> {
  const since = await parsePlatformTime(context, given.since, '--since')
  const until = await parsePlatformTime(context, given.until, '--until')
  requirePeriod(since, until)
  return { since, until }
}

/** Refuses a period in which there can be nothing, in milliseconds since 1970. @throws ClientFailure `usage` */
function requirePeriod(since: number | undefined, until: number | undefined): void {
  if (since !== undefined && until !== undefined && until <= since) throw usageError('--until must be after --since.')
}

/** Refuses --since and --until of a list whose order is wrong, as `parsePlatformPeriod` does. @throws ClientFailure `usage` */
export const requireListPeriod = (given: { readonly since?: unknown; readonly until?: unknown }, now: number): void =>
  requirePeriod(parseTimeFlag(given.since, '--since', now), parseTimeFlag(given.until, '--until', now))
