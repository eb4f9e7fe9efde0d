import { inspector, type TimelineEntry, type TimelineKind, timelineKinds } from '../../../contract/control/inspector.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { amountText } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
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
import type { ServerState } from '../handlers/pages.ts'
import { describeJobs } from './describe-jobs.ts'
import { countRequestsByHour, platformTimeOf, searchRequests } from './search-requests.ts'

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

/** Nouns of the commands for the subjects of entries. */
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
      const rows = await listRecordedEntries(connection.read, kind, { ...filters, after }, connection.dialect)
      return rows.map((row) => ({ order: row.order, at: row.at, entry: toEntry(kind, row) }))
    }),
  )
  const all = lists.flat().sort(byTime)
  const page = all.slice(0, limit)
  const last = page.at(-1)
  return { data: page.map(({ entry }) => entry), next: all.length > limit && last ? formatCursor(last) : null }
}

/** Sorts newest first. */
const byTime = (a: Candidate, b: Candidate): number =>
  b.at - a.at || rankOf(a.entry.kind) - rankOf(b.entry.kind) || b.order - a.order

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

const formatCursor = ({ at, order, entry }: Candidate): string => `${at}.${entry.kind}.${order}`

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
