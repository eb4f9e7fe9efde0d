import type { TimelineEntry, TimelineKind } from '../../../contract/control/inspector.ts'
import { timelineKinds } from '../../../contract/control/inspector.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { amountText } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { parseMicros, toIsoMicros } from '../../jobs/clock.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import {
  listRecordedEntries,
  type Position,
  type RecordedEntry,
  type RecordedKind,
} from '../../store/runtime/recorded-entries.ts'
import { platformTimeOf, searchRequests } from './search-requests.ts'

/** What to list. */
export interface TimelineFilters {
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
export async function listTimeline(
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
