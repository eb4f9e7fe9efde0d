import type { TimelineEntry, TimelineKind } from '../../contract/control/inspector.ts'
import { timelineKinds } from '../../contract/control/inspector.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { fromMillionths } from '../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { listRecordedEntries, type RecordedEntry, type RecordedKind } from '../../store/runtime/recorded-entries.ts'
import { searchRequests } from './search-requests.ts'

/** What to list. */
export interface TimelineFilters {
  readonly kinds?: string | undefined
  readonly account?: number | undefined
  readonly status?: string | undefined
  readonly search?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

interface Candidate {
  readonly order: number
  readonly at: number
  readonly entry: TimelineEntry
}

/** Last number of each kind on the pages so far. */
type Cursor = Partial<Record<TimelineKind, number>>

/** Nouns of the commands for the subjects of entries. */
const nouns: Partial<Record<RecordedKind, string>> = {
  delivery: 'delivery',
  run: 'run',
  message: 'conversation',
  call: 'call',
}

/** Returns a page of what happened, newest first: entries of every kind, merged by time. */
export async function listTimeline(
  { connection, dataDir }: Pick<Deps, 'connection'> & { readonly dataDir: string },
  { kinds, before, limit, search, status, account }: TimelineFilters,
): Promise<{ data: TimelineEntry[]; next: string | null }> {
  const cursor = before === undefined ? {} : parseCursor(before)
  const chosen = kinds === undefined ? timelineKinds : timelineKinds.filter((it) => kinds.split(',').includes(it))
  // Requests are logged before their account is known.
  const wanted = account === undefined ? chosen : chosen.filter((it) => it !== 'request')
  const filters = { status, search: search === '' ? undefined : search, limit: limit + 1 }
  const lists = await Promise.all(
    wanted.map(async (kind): Promise<Candidate[]> => {
      if (kind === 'request')
        return searchRequests(dataDir, { ...filters, before: cursor.request }).map((it) => ({
          order: it.id,
          at: Date.parse(it.at) * 1000,
          entry: {
            id: `request:${it.id}`,
            kind,
            at: it.at,
            account: null,
            status: String(it.status),
            title: `${it.method} ${it.path}`,
            text: `${it.ms} ms`,
            subject: null,
          },
        }))
      const rows = await listRecordedEntries(
        connection.read,
        kind,
        { ...filters, account, before: cursor[kind] },
        connection.dialect,
      )
      return rows.map((row) => ({ order: row.order, at: row.at, entry: toEntry(kind, row) }))
    }),
  )
  const all = mergeByTime(lists, limit + 1)
  const page = all.slice(0, limit)
  const last: Cursor = { ...cursor }
  for (const { entry, order } of page) last[entry.kind] = order
  return { data: page.map(({ entry }) => entry), next: all.length > limit ? formatCursor(last) : null }
}

/**
 * Merges lists, always taking the newest of their first entries. Each list keeps its order, that of its primary key, so
 * that the next page continues exactly where this one ends.
 */
function mergeByTime(lists: readonly (readonly Candidate[])[], limit: number): Candidate[] {
  const merged: Candidate[] = []
  const at = lists.map(() => 0)
  while (merged.length < limit) {
    let newest: { readonly list: number; readonly it: Candidate } | undefined
    for (const [list, entries] of lists.entries()) {
      const it = entries[at[list] ?? 0]
      if (it && (!newest || it.at > newest.it.at)) newest = { list, it }
    }
    if (!newest) break
    merged.push(newest.it)
    at[newest.list] = (at[newest.list] ?? 0) + 1
  }
  return merged
}

function toEntry(kind: RecordedKind, row: RecordedEntry): TimelineEntry {
  const noun = nouns[kind]
  const isLedger = kind === 'ledger'
  return {
    id: `${kind}:${row.order}`,
    kind,
    at: toIsoMicros(row.at),
    account: row.account,
    status: isLedger || kind === 'message' ? null : (row.status?.toLowerCase() ?? null),
    title: isLedger ? `${row.title} ${fromMillionths(Number(row.subject))} ${row.status}` : row.title,
    text: row.text ?? '',
    subject: noun === undefined || row.subject === null ? null : { noun, id: row.subject },
  }
}

const formatCursor = (cursor: Cursor): string => timelineKinds.map((it) => cursor[it] ?? '').join('.')

/** @throws Failure `invalid` */
function parseCursor(text: string): Cursor {
  const parts = text.split('.')
  if (parts.length !== timelineKinds.length || !parts.every((it) => /^\d{0,16}$/.test(it)))
    throw new Failure('invalid', {
      text: 'The before field must be the value of "next" of a page.',
      errors: { before: ['The before field must be the value of "next" of a page.'] },
    })
  return Object.fromEntries(
    timelineKinds.flatMap((it, n) => (parts[n] === '' ? [] : [[it, Number(parts[n])]])),
  ) as Cursor
}
