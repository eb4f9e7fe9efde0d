import type { LoggedRequest } from '../../contract/control/requests.ts'
import { maskPhoneNumbers } from '../../contract/values/mask-phone-numbers.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { requestLines } from '../data-folder/request-log.ts'

/** Which requests to find. */
export interface RequestSearch {
  readonly status?: string | undefined
  readonly search?: string | undefined
  /** Only requests with a lower id. */
  readonly before?: number | undefined
  readonly limit: number
}

/**
 * Returns logged requests, newest first, with masked phone numbers. Lines that cannot match are not parsed, so that a
 * search over all requests takes only as long as reading them.
 */
export function searchRequests(dataDir: string, { status, search, before, limit }: RequestSearch): LoggedRequest[] {
  const wanted = search?.toLowerCase()
  // As the log has it: text inside JSON is escaped.
  const escaped = wanted === undefined ? undefined : JSON.stringify(wanted).slice(1, -1)
  const isWanted = (given: number): boolean =>
    status === undefined ||
    String(given) === status ||
    (status === 'failed' && given >= 500) ||
    (/^[1-5]xx$/.test(status) && String(given)[0] === status[0])
  const mark = status !== undefined && /^\d{3}$/.test(status) ? `"status":${status},` : undefined
  const found: LoggedRequest[] = []
  for (const line of requestLines(dataDir)) {
    if (mark !== undefined && !line.includes(mark)) continue
    if (wanted !== undefined) {
      const text = line.toLowerCase()
      if (!text.includes(wanted) && !text.includes(escaped as string)) continue
    }
    const it = parseJsonLine(line) as LoggedRequest | undefined
    if (!it || (before !== undefined && it.id >= before)) continue
    if (!isWanted(it.status)) continue
    found.push({ ...it, path: maskPhoneNumbers(it.path) })
    if (found.length >= limit) break
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
