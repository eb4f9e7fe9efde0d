import type { LoggedRequest } from '../../../contract/control/requests.ts'
import { maskPhoneNumbers } from '../../../contract/values/mask-phone-numbers.ts'
import { stringifyJson } from '../../../node/json.ts'
import { parseJsonLine } from '../../../node/ndjson.ts'
import type { Position } from '../../store/runtime/recorded-entries.ts'
import { decodeLine, linesBackwards, requestLines, requestLogPieces } from '../data-folder/request-log.ts'

/** Which requests to find. */
export interface RequestSearch {
  readonly status?: string | undefined
  readonly search?: string | undefined
  /** Only requests of this account. */
  readonly account?: number | undefined
  /** Only requests at or after this time of the platform, in microseconds. */
  readonly since?: number | undefined
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
  { status, search, account, since = 0, after, limit }: RequestSearch,
): LoggedRequest[] {
  // Bytes, as the pieces of the log. Only ASCII letters are compared without regard to case, as in the database.
  const asBytes = (text: string): string => Buffer.from(text).toString('latin1').toLowerCase()
  // As the log has it: texts are escaped, and those inside bodies twice.
  const escaped = (text: string): string => stringifyJson(text).slice(1, -1)
  const forms =
    search === undefined ? [] : [...new Set([search, escaped(search), escaped(escaped(search))])].map(asBytes)
  const isWanted = ({ status: given, failed_run }: LoggedRequest): boolean =>
    status === undefined ||
    String(given) === status ||
    // A failed run is one failure, and not also one of the request that waited for it.
    (status === 'failed' && given >= 500 && failed_run === undefined) ||
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
      if (ms * 1000 >= since && isAfter(ms, 0)) candidates.push({ ms, line })
    }
  }
  // Entries with the same time stay in the order of the log.
  candidates.sort((a, b) => b.ms - a.ms)
  const found: LoggedRequest[] = []
  for (const { ms, line } of candidates) {
    const entry = parseJsonLine(decodeLine(line)) as LoggedRequest | undefined
    if (!entry || !isWanted(entry) || !isAfter(ms, entry.id)) continue
    if (account !== undefined && entry.account !== account) continue
    found.push({ ...entry, path: maskPhoneNumbers(entry.path) })
    if (found.length >= limit) break
  }
  return found
}

/**
 * Counts the logged requests of an account (default: all), and those that `searchRequests` finds as failed, in each hour
 * since a time of the platform in microseconds. Requests after these hours count in the last one.
 */
export function countRequestsByHour(
  dataDir: string,
  since: number,
  hours: number,
  account?: number,
): { readonly counts: number[]; readonly failed: number[] } {
  const counts = Array.from({ length: hours }, () => 0)
  const failed = Array.from({ length: hours }, () => 0)
  const end = account === undefined ? '' : `,"account":${account}}`
  for (const line of requestLines(dataDir)) {
    const at = timeOfLine(line) * 1000
    if (!(at >= since) || !line.endsWith(end)) continue
    const n = Math.min(Math.floor((at - since) / 3_600_000_000), hours - 1)
    counts[n] = (counts[n] ?? 0) + 1
    if (/"status":5\d\d,/.test(line) && !/"failed_run":"[^"]*","status":/.test(line)) failed[n] = (failed[n] ?? 0) + 1
  }
  return { counts, failed }
}
