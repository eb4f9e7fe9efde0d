import type { MoneyUnit } from '../../../contract/values/money.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { stateText } from '../../../contract/values/states.ts'
import { amountText, utcToIso } from '../data/values.ts'
import type { Entry } from './entry.ts'
import type { TimelineFilter } from './search.ts'

type Row = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
const list = (body: unknown): readonly Row[] => {
  const data = (body as { data?: unknown } | null)?.data
  return Array.isArray(data) ? (data as Row[]) : []
}

/**
 * List of the platform whose rows are entries of the timeline, for a platform without `/control/timeline`. Entries look as those that
 * the server makes, because a person reads both alike.
 */
export interface EntrySource {
  readonly kind: string
  readonly path: (account: number) => string
  readonly toEntry: (row: Row, account: number) => Entry
}

const entry = (
  kind: string,
  row: Row,
  account: unknown,
  fields: Pick<Entry, 'title' | 'text'> & { at: unknown; status: unknown; noun?: string; subject?: unknown },
): Entry => ({
  id: `${kind}:${text(row.id)}`,
  kind,
  at: text(fields.at),
  account: typeof account === 'number' ? account : null,
  status: text(fields.status) || null,
  title: fields.title,
  text: fields.text,
  subject: fields.noun ? { noun: fields.noun, id: text(fields.subject ?? row.id) } : null,
})

/** The lists that a timeline can be composed of. */
export const entrySources: readonly EntrySource[] = [
  {
    kind: 'request',
    path: () => '/control/requests?limit=200',
    toEntry: (row) =>
      entry('request', row, null, {
        at: row.platform_at ?? row.at,
        status: row.status,
        title: `${text(row.method)} ${text(row.path)}`,
        text: `${Math.round(Number(row.ms))} ms`,
      }),
  },
  {
    kind: 'event',
    path: (account) => `/control/events?account=${account}&limit=200`,
    toEntry: (row) =>
      entry('event', row, row.account_id, {
        at: row.created_at,
        status: row.handled ? 'handled' : 'pending',
        title: text(row.kind),
        text: text(row.subject),
      }),
  },
  {
    kind: 'delivery',
    path: (account) => `/control/deliveries?account=${account}&limit=200`,
    toEntry: (row) =>
      entry('delivery', row, row.account_id, {
        at: row.created_at,
        status: row.status,
        title: `${stateText(text(row.event))} to ${text(row.url)}`,
        text: text(row.last_error),
        noun: 'delivery',
      }),
  },
  {
    kind: 'run',
    path: () => '/api/user/automate/runs?limit=100',
    toEntry: (row, account) =>
      entry('run', row, account, {
        at: row.start_time,
        status: text(row.status).toLowerCase(),
        title: text(row.automation_name),
        text: text(row.error),
        noun: 'run',
      }),
  },
  {
    kind: 'message',
    path: () => '/api/user/conversations?per_page=50',
    toEntry: (row, account) => {
      const customer = row.customer as { readonly name: string | null; readonly phone: string } | null | undefined
      return entry('message', row, account, {
        at: utcToIso(text(row.updated_at)),
        status: row.status,
        title: customer
          ? [customer.name, customer.phone].filter(Boolean).join(', ')
          : text(row.external_identifier) || `${stateText(text(row.type))} conversation`,
        text: `${text(row.assistant_name)}, ${text(row.message_count)} messages`,
        noun: 'conversation',
      })
    },
  },
  {
    kind: 'call',
    path: () => `/api/user/calls?per_page=${maxPerPage}`,
    toEntry: (row, account) =>
      entry('call', row, account, {
        at: row.created_at,
        status: row.status,
        title: `${text(row.client_phone_number)}, ${stateText(text(row.type))}`,
        text: `${text(row.assistant_name)}, ${text(row.duration)} s`,
        noun: 'call',
      }),
  },
  {
    kind: 'ledger',
    path: (account) => `/control/accounts/${account}/ledger`,
    toEntry: (row, account) =>
      entry('ledger', row, account, {
        at: row.created_at,
        status: null,
        title: `${stateText(text(row.kind))} ${amountText(text(row.amount), row.unit as MoneyUnit)}`,
        text: text(row.reason),
      }),
  },
]

/** Whether a status is that of a failure, as in the timeline of a local platform. */
const isFailure = (status: string | null): boolean => /^(failed|5\d\d)$/i.test(status ?? '')

/** Returns whether an entry matches the filters. The words may be in any order. */
function matchesFilter(entry: Entry, { kinds, account, status, since, text: search }: TimelineFilter): boolean {
  if (kinds.length > 0 && !kinds.includes(entry.kind)) return false
  if (account && text(entry.account) !== account) return false
  if (status && !(status === 'failed' ? isFailure(entry.status) : entry.status === status)) return false
  if (since && !(Date.parse(entry.at) >= Date.parse(since))) return false
  const all = `${entry.title} ${entry.text} ${text(entry.status)} ${entry.id}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/** Composes a timeline from the answers of lists, newest first. */
export const composeEntries = (
  answers: readonly { readonly source: EntrySource; readonly body: unknown }[],
  account: number,
  filter: TimelineFilter,
): Entry[] =>
  answers
    .flatMap(({ source, body }) => list(body).map((row) => source.toEntry(row, account)))
    .filter((it) => matchesFilter(it, filter))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
