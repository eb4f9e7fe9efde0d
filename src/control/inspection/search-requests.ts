import type { LoggedRequest } from '../../contract/control/requests.ts'
import { maskPhoneNumbers } from '../../contract/values/mask-phone-numbers.ts'
import { stringifyJson } from '../../node/json.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import type { Position } from '../../store/runtime/recorded-entries.ts'
import { decodeLine, linesBackwards, requestLines, requestLogPieces } from '../data-folder/request-log.ts'

/** Which requests to find. */
export interface RequestSearch {
  readonly status?: string | undefined
  readonly search?: string | undefined
  /** Only requests of this account. */
  readonly account?: number | undefined
  /** Only requests after this place. */
  readonly after?: Position | undefined
  readonly limit: number
}

/** Returns the time of the platform of an entry in milliseconds; the real time in entries of earlier versions. */
export const platformTimeOf = ({ at, platform_at = at }: Pick<LoggedRequest, 'at' | 'platform_at'>): number =>
  Date.parse(platform_at)

/** Returns what `platformTimeOf` does for a line of the log, without parsing all of it. */
const timeOfLine = (line: string): number =>
  Date.parse((/"platform_at":"([^"]+)"/.exec(line.slice(0, 200)) ?? /"at":"([^"]+)"/.exec(line))?.[1] ?? '')

/**
 * Returns logged requests, newest first by the time of the platform, with masked phone numbers. Only lines that can
 * match and are needed are parsed, so that a search over all requests takes little more than reading them. All are read,
 * because a clock that was turned back makes earlier requests the newest.
 */
export function searchRequests(
  dataDir: string,
  { status, search, account, after, limit }: RequestSearch,
): LoggedRequest[] {
  // Bytes, as the pieces of the log. Only ASCII letters are compared without regard to case, as in the database.
  const asBytes = (text: string): string => Buffer.from(text).toString('latin1').toLowerCase()
  // As the log has it: texts are escaped, and those inside bodies twice.
  const escaped = (text: string): string => stringifyJson(text).slice(1, -1)
  const forms =
    search === undefined ? [] : [...new Set([search, escaped(search), escaped(escaped(search))])].map(asBytes)
  const isWanted = (given: number): boolean =>
    status === undefined ||
    String(given) === status ||
    (status === 'failed' && given >= 500) ||
    (/^[1-5]xx$/.test(status) && String(given)[0] === status[0])
  const isAfter = (ms: number, id: number): boolean =>
    after === undefined || ms * 1000 < after.at || (ms * 1000 === after.at && id < after.order)
  const mark = status !== undefined && /^\d{3}$/.test(status) ? `"status":${status},` : undefined
  const isFound = (text: string): boolean => {
    if (mark !== undefined && !text.includes(mark)) return false
    if (forms.length === 0) return true
    const lower = text.toLowerCase()
    return forms.some((it) => lower.includes(it))
  }
  const candidates: { readonly ms: number; readonly line: string }[] = []
  for (const piece of requestLogPieces(dataDir)) {
    if (!isFound(piece)) continue
    for (const line of linesBackwards(piece)) {
      if (!isFound(line)) continue
      const ms = timeOfLine(line)
      if (!Number.isNaN(ms) && isAfter(ms, 0)) candidates.push({ ms, line })
    }
  }
  // Entries with the same time stay in the order of the log.
  candidates.sort((a, b) => b.ms - a.ms)
  const found: LoggedRequest[] = []
  for (const { ms, line } of candidates) {
    const it = parseJsonLine(decodeLine(line)) as LoggedRequest | undefined
    if (!it || !isWanted(it.status) || !isAfter(ms, it.id)) continue
    if (account !== undefined && it.account !== account) continue
    found.push({ ...it, path: maskPhoneNumbers(it.path) })
    if (found.length >= limit) break
  }
  return found
}

/** Counts logged requests, and those with status 5xx, in each of the last hours before a time of the platform in milliseconds. */
export function countRequestsByHour(
  dataDir: string,
  now: number,
  hours: number,
): { readonly counts: number[]; readonly failed: number[] } {
  const counts = Array.from({ length: hours }, () => 0)
  const failed = Array.from({ length: hours }, () => 0)
  const since = now - hours * 3_600_000
  for (const line of requestLines(dataDir)) {
    const at = timeOfLine(line)
    if (!(at > since && at <= now)) continue
    const hour = Math.floor((at - since) / 3_600_000)
    const n = Math.min(hour, hours - 1)
    counts[n] = (counts[n] ?? 0) + 1
    if (/"status":5\d\d,/.test(line)) failed[n] = (failed[n] ?? 0) + 1
  }
  return { counts, failed }
}
