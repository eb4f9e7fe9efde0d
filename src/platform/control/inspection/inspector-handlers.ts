import { inspector, type TimelineEntry } from '../../../contract/control/inspector.ts'
import type { LoggedRequest } from '../../../contract/control/requests.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { maskPhoneNumbers } from '../../../contract/values/mask-phone-numbers.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { amountText } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { type TimelineKind, timelineKinds } from '../../../contract/values/timeline-kinds.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { parseJsonLine } from '../../../node/ndjson.ts'
import { parseMicros, toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type Activity, countByHour, listNextCharges, listScheduledJobs } from '../../store/runtime/activity.ts'
import { listFaults } from '../../store/runtime/fault-rules.ts'
import {
  listRecordedEntries,
  type Position,
  type RecordedEntry,
  type RecordedKind,
} from '../../store/runtime/recorded-entries.ts'
import { decodeLine, linesBackwards, requestLines, requestLogPieces } from '../data-folder/request-log.ts'
import type { ServerState } from '../handlers/pages.ts'
import { describeJobs } from './describe-jobs.ts'

/** Which requests to find. */
interface RequestSearch {
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
const platformTimeOf = ({ at, platform_at = at }: Pick<LoggedRequest, 'at' | 'platform_at'>): number =>
  Date.parse(platform_at)

/** Returns what `platformTimeOf` does for a line of the log, without parsing all of it: request-log.ts writes the times first. */
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
 * since a time of the platform in microseconds. Requests after these hours count in the last one. Lines are read as
 * text: request-log.ts writes `failed_run` directly before `status`, and `account` last.
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

/** What to list. */
interface TimelineFilters {
  readonly kinds?: string | undefined
  readonly account?: number | undefined
  readonly status?: string | undefined
  readonly search?: string | undefined
  readonly since?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

interface Candidate {
  readonly order: number
  readonly at: number
  readonly entry: TimelineEntry
}

/** The last entry of a page: its time in microseconds, its kind, and its number within the kind. */
interface Cursor {
  readonly at: number
  readonly kind: TimelineKind
  readonly order: number
}

const rankOf = (kind: TimelineKind): number => timelineKinds.indexOf(kind)

/**
 * Nouns of the commands for the subjects of entries. The page opens a subject by its noun (`pageOfNoun` of
 * page/app/routes.ts).
 */
const nouns: Partial<Record<RecordedKind, string>> = {
  delivery: 'delivery',
  run: 'run',
  message: 'conversation',
  call: 'call',
}

/**
 * Returns a page of what happened, newest first. Entries with the same time are in the order of their kinds, and newest
 * first within a kind. A page continues exactly where the previous one ended, also when new entries were added since.
 */
async function listTimeline(
  { connection, dataDir }: Pick<Deps, 'connection'> & { readonly dataDir: string },
  { kinds, before, limit, search, since, status, account }: TimelineFilters,
): Promise<{ data: TimelineEntry[]; next: string | null }> {
  const cursor = before === undefined ? undefined : parseCursor(before)
  const wanted = kinds === undefined ? timelineKinds : timelineKinds.filter((it) => kinds.split(',').includes(it))
  const filters = {
    account,
    status,
    search: search === '' ? undefined : search,
    since: since === undefined ? undefined : parseMicros(since),
    limit: limit + 1,
  }
  const ends: Cursor[] = []
  const lists = await Promise.all(
    wanted.map(async (kind): Promise<Candidate[]> => {
      const after = cursor && positionIn(kind, cursor)
      if (kind === 'request')
        return searchRequests(dataDir, { ...filters, after }).map((request) => ({
          order: request.id,
          at: platformTimeOf(request) * 1000,
          entry: {
            id: `request:${request.id}`,
            kind,
            at: request.platform_at ?? request.at,
            account: request.account ?? null,
            status: String(request.status),
            title: `${request.method} ${request.path}`,
            text: `${request.ms} ms`,
            subject: null,
          },
        }))
      const { entries, end } = await listRecordedEntries(
        connection.read,
        kind,
        { ...filters, after },
        connection.dialect,
      )
      if (end) ends.push({ ...end, kind })
      return entries.map((row) => ({ order: row.order, at: row.at, entry: toEntry(kind, row) }))
    }),
  )
  // Of a kind that was not examined to its end, there may be entries before older ones of other kinds.
  const end = ends.sort(byPlace)[0]
  const all = lists
    .flat()
    .map((it) => ({ ...it, kind: it.entry.kind }))
    .filter((it) => end === undefined || byPlace(it, end) <= 0)
    .sort(byPlace)
  const page = all.slice(0, limit)
  const next = all.length > limit ? page.at(-1) : end
  return { data: page.map(({ entry }) => entry), next: next ? formatCursor(next) : null }
}

/** Sorts newest first. */
const byPlace = (a: Cursor, b: Cursor): number => b.at - a.at || rankOf(a.kind) - rankOf(b.kind) || b.order - a.order

/** Returns after which time and number the entries of a kind come after a cursor. */
const positionIn = (kind: TimelineKind, { at, kind: last, order }: Cursor): Position => ({
  at,
  order: kind === last ? order : rankOf(kind) > rankOf(last) ? Number.MAX_SAFE_INTEGER : 0,
})

function toEntry(kind: RecordedKind, row: RecordedEntry): TimelineEntry {
  const noun = nouns[kind]
  const isLedger = kind === 'ledger'
  return {
    id: `${kind}:${row.order}`,
    kind,
    at: toIsoMicros(row.at),
    account: row.account,
    status: isLedger || kind === 'message' ? null : (row.status?.toLowerCase() ?? null),
    title: isLedger
      ? `${stateText(row.title)} ${amountText(fromMillionths(Number(row.subject)), row.status === 'minute' ? 'minute' : 'usd')}`
      : titleOf(kind, row.title),
    text: kind === 'event' ? payloadText(row.text ?? '') : (row.text ?? ''),
    subject: noun === undefined || row.subject === null ? null : { noun, id: row.subject },
  }
}

/** Returns the title of an entry in words: who wrote a message, the direction of a call, the event of a delivery. */
function titleOf(kind: RecordedKind, title: string): string {
  if (kind === 'message') return title === 'user' ? 'customer' : title
  if (kind === 'call') return `${title} call`
  return kind === 'delivery' ? stateText(title) : title
}

/** Returns the fields of an event in words: `phone number: +14155550142`. A text that is cut off is unchanged. */
function payloadText(json: string): string {
  try {
    const payload: unknown = parseJson(json)
    if (!isObject(payload)) return json
    return Object.entries(payload)
      .map(([name, value]) => `${stateText(name)}: ${typeof value === 'string' ? value : stringifyJson(value)}`)
      .join(', ')
  } catch {
    return json
  }
}

const formatCursor = ({ at, order, kind }: Cursor): string => `${at}.${kind}.${order}`

/** @throws Failure `invalid` */
function parseCursor(text: string): Cursor {
  const [, at, name, order] = /^(\d{1,16})\.([a-z]+)\.(\d{1,16})$/.exec(text) ?? []
  const kind = timelineKinds.find((it) => it === name)
  if (kind === undefined) {
    const message = 'The before field must be the value of "next" of a page.'
    throw new Failure('invalid', { text: message, errors: { before: [message] } })
  }
  return { at: Number(at), kind, order: Number(order) }
}

type Overview = Output<typeof inspector.overview>

const hours = 24
const hourMicros = 3600 * 1_000_000
const maxCharges = 8

const activities: readonly Activity[] = ['messages', 'calls', 'runs', 'deliveries']

const withTotal = (hourly: readonly number[]) => ({
  total: hourly.reduce((sum, it) => sum + it, 0),
  hourly: [...hourly],
})

/** Returns the activity of the last 24 hours, the next charges and what needs attention. */
async function readOverview(
  { connection, clock, dataDir }: Pick<Deps, 'connection' | 'clock'> & { readonly dataDir: string },
  account: number | undefined,
): Promise<Overview> {
  const { read } = connection
  const now = await clock.now()
  const since = now - hours * hourMicros + 1
  const failed = Array.from({ length: hours }, () => 0)
  const counts: Record<string, ReturnType<typeof withTotal>> = {}
  const requests = countRequestsByHour(dataDir, since, hours, account)
  counts.requests = withTotal(requests.counts)
  for (const [n, count] of requests.failed.entries()) failed[n] = (failed[n] ?? 0) + count
  for (const activity of activities) {
    const hourly = Array.from({ length: hours }, () => 0)
    for (const bucket of await countByHour(read, activity, since, account)) {
      // The clock may have been turned back: later rows count in the last hour.
      const n = Math.min(bucket.hour, hours - 1)
      hourly[n] = (hourly[n] ?? 0) + bucket.count
      failed[n] = (failed[n] ?? 0) + bucket.failed
    }
    counts[activity] = withTotal(hourly)
  }
  counts.failed = withTotal(failed)
  return {
    since: toIsoMicros(since),
    counts,
    next_charges: (await listNextCharges(read, account, maxCharges)).map((charge) => ({
      at: toIsoMicros(charge.at),
      amount: fromMillionths(charge.price),
      text: charge.phone_number,
      subject: { noun: 'number', id: String(charge.id) },
    })),
    attention: await findProblems({ connection, clock }),
  }
}

/** Returns settings of the platform that make it behave in an unusual way. */
async function findProblems({ connection, clock }: Pick<Deps, 'connection' | 'clock'>): Promise<Overview['attention']> {
  const faults = await listFaults(connection.read)
  const { frozen } = await clock.read()
  return [
    ...(faults.length > 0
      ? [
          {
            code: 'faults',
            severity: 'warning' as const,
            text: `Fault rules are active: ${faults.length}. Requests fail on purpose.`,
            command: 'parley server faults clear',
          },
        ]
      : []),
    ...(frozen
      ? [
          {
            code: 'clock',
            severity: 'warning' as const,
            text: 'The clock is frozen. Scheduled jobs wait.',
            command: 'parley server clock resume',
          },
        ]
      : []),
  ]
}

/** Dependencies of the handlers of the inspector. */
interface InspectorDeps extends Pick<Deps, 'connection' | 'clock'> {
  readonly dataDir: string
  readonly state: Pick<ServerState, 'createInspectorLogin'>
}

/** Returns the endpoints of the resource with their handlers. */
export const inspectorResource = (deps: InspectorDeps): LoadedResource =>
  loadedResource(inspector, inspectorHandlers(deps))

/** Creates the handlers of the control API for the inspector. */
const inspectorHandlers = (deps: InspectorDeps): HandlersOf<typeof inspector> => ({
  async login() {
    const code = await deps.state.createInspectorLogin?.()
    if (code === undefined) throw new Failure('inspector.unavailable')
    return { code, path: `/_parley/login?code=${code}`, expires_in: 300 }
  },
  timeline: (filters) => listTimeline(deps, filters),
  async due({ limit }) {
    const { read } = deps.connection
    const rows = await listScheduledJobs(read, limit + 1)
    const next = rows[limit]
    const texts = await describeJobs(read, rows)
    return {
      data: rows.slice(0, limit).map((row, n) => ({
        kind: row.kind,
        subject: row.subject,
        text: texts[n] as string,
        account: Number(row.account_id),
        due_at: toIsoMicros(Number(row.due_at)),
        attempts: Number(row.attempts),
      })),
      next: next ? toIsoMicros(Number(next.due_at)) : null,
    }
  },
  overview: ({ account }) => readOverview(deps, account),
})
