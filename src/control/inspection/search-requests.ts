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

/**
 * Returns logged requests, newest first, with masked phone numbers. Pieces and lines that cannot match are not
 * parsed, so that a search over all requests takes little more than reading them.
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
  const isAfter = ({ at, id }: LoggedRequest): boolean => {
    if (after === undefined) return true
    const micros = Date.parse(at) * 1000
    return micros < after.at || (micros === after.at && id < after.order)
  }
  const mark = status !== undefined && /^\d{3}$/.test(status) ? `"status":${status},` : undefined
  const isFound = (text: string): boolean => {
    if (mark !== undefined && !text.includes(mark)) return false
    if (forms.length === 0) return true
    const lower = text.toLowerCase()
    return forms.some((it) => lower.includes(it))
  }
  const found: LoggedRequest[] = []
  for (const piece of requestLogPieces(dataDir)) {
    if (!isFound(piece)) continue
    for (const line of linesBackwards(piece)) {
      const it = isFound(line) ? (parseJsonLine(decodeLine(line)) as LoggedRequest | undefined) : undefined
      if (!it || !isWanted(it.status) || !isAfter(it)) continue
      if (account !== undefined && it.account !== account) continue
      found.push({ ...it, path: maskPhoneNumbers(it.path) })
      if (found.length >= limit) return found
    }
  }
  return found
}

/** Counts logged requests, and those with status 5xx, in each of the last hours before a wall time in milliseconds. */
export function countRequestsByHour(
  dataDir: string,
  now: number,
  hours: number,
): { readonly counts: number[]; readonly failed: number[] } {
  const counts = Array.from({ length: hours }, () => 0)
  const failed = Array.from({ length: hours }, () => 0)
  const since = now - hours * 3_600_000
  for (const line of requestLines(dataDir)) {
    const at = Date.parse(/"at":"([^"]+)"/.exec(line)?.[1] ?? '')
    if (Number.isNaN(at) || at > now) continue
    const hour = Math.floor((at - since) / 3_600_000)
    if (hour < 0) break
    const n = Math.min(hour, hours - 1)
    counts[n] = (counts[n] ?? 0) + 1
    if (/"status":5\d\d,/.test(line)) failed[n] = (failed[n] ?? 0) + 1
  }
  return { counts, failed }
}
