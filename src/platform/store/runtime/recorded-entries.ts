import { type RawBuilder, sql } from 'kysely'
import type { TimelineKind } from '../../../contract/values/timeline-kinds.ts'
import type { PlatformQuery } from '../database/connection.ts'

/** Kinds of recorded entries that are in the database. */
export type RecordedKind = Exclude<TimelineKind, 'request'>

/** Entry of the timeline, as its table has it. */
export interface RecordedEntry {
  /** Number by which its kind is in order. */
  readonly order: number
  readonly account: number
  /** Platform time in microseconds. */
  readonly at: number
  readonly status: string | null
  readonly title: string
  readonly text: string | null
  readonly subject: string | null
}

/** A place in a list that is ordered by time, newest first. */
export interface Position {
  /** Microseconds. */
  readonly at: number
  /** Number of the last entry of this time; 0 after all, `MAX_SAFE_INTEGER` before all of them. */
  readonly order: number
}

/** Which entries to list. */
interface RecordedEntryFilters {
  readonly account?: number | undefined
  readonly status?: string | undefined
  readonly search?: string | undefined
  /** Only entries at or after this time in microseconds. */
  readonly since?: number | undefined
  /** Only entries after this place. */
  readonly after?: Position | undefined
  readonly limit: number
}

/** Characters of a text that an entry has. */
const maxTextLength = 300

interface Source {
  /** The table of the kind, `r`, and what its texts are joined with. */
  readonly table: RawBuilder<unknown>
  readonly joined?: RawBuilder<unknown>
  readonly order: RawBuilder<unknown>
  readonly status: RawBuilder<unknown>
  readonly title: RawBuilder<unknown>
  readonly text: RawBuilder<unknown>
  readonly subject: RawBuilder<unknown>
  /** Texts in which a search looks. */
  readonly searched: readonly string[]
  /** The status of failures, of which there is an index; null if there are none of this kind. */
  readonly failed: 'failed' | 'FAILED' | null
}

/** Entries of a page of a kind. */
export interface RecordedPage {
  readonly entries: readonly RecordedEntry[]
  /** The last entry that was examined; undefined if all were that the page needs. */
  readonly end?: Position
}

/**
 * Entries of each kind that one search examines at most. A search for a text that nothing has would read them all. Then its
 * page ends there, and the next one continues.
 */
const maxExamined = 5000

const sources: Readonly<Record<RecordedKind, () => Source>> = {
  event: () => ({
    table: sql`outbox r`,
    order: sql`r.id`,
    status: sql`null`,
    title: sql`r.kind`,
    text: sql`r.payload`,
    subject: sql`r.subject`,
    searched: ['r.kind', 'r.subject', 'r.payload'],
    failed: null,
  }),
  delivery: () => ({
    table: sql`delivery r`,
    order: sql`r.id`,
    status: sql`r.status`,
    title: sql`r.event`,
    text: sql`coalesce(r.last_error, r.url)`,
    subject: sql`cast(r.id as text)`,
    searched: ['r.event', 'r.url', 'r.last_error', 'r.payload'],
    failed: 'failed',
  }),
  run: () => ({
    table: sql`automation_run r`,
    joined: sql`left join automation a on a.account_id = r.account_id and a.id = r.automation_id`,
    order: sql`r.number`,
    status: sql`r.status`,
    title: sql`coalesce(a.name, r.automation_id)`,
    text: sql`r.error`,
    subject: sql`r.id`,
    searched: ['a.name', 'r.id', 'r.error', 'r.payload'],
    failed: 'FAILED',
  }),
  message: () => ({
    table: sql`message r`,
    joined: sql`join conversation c on c.account_id = r.account_id and c.id = r.conversation_id`,
    order: sql`r.id`,
    status: sql`r.role`,
    title: sql`r.role`,
    text: sql`r.content`,
    subject: sql`c.uuid`,
    searched: ['r.content', 'c.customer_name', 'c.customer_phone'],
    failed: null,
  }),
  call: () => ({
    table: sql`phone_call r`,
    order: sql`r.id`,
    status: sql`r.status`,
    title: sql`r.type`,
    text: sql`coalesce(r.client_phone_number, '')`,
    subject: sql`cast(r.id as text)`,
    searched: ['r.client_phone_number', 'r.assistant_phone_number', 'r.campaign_name', 'r.transcript'],
    failed: 'failed',
  }),
  ledger: () => ({
    table: sql`ledger r`,
    order: sql`r.id`,
    status: sql`r.unit`,
    title: sql`r.kind`,
    text: sql`r.reason`,
    subject: sql`cast(r.amount as text)`,
    searched: ['r.reason', 'r.kind'],
    failed: null,
  }),
}

/** Returns the condition that one of the texts contains a text, without regard to case. */
function contains(names: readonly string[], search: string, dialect: 'sqlite' | 'postgres'): RawBuilder<unknown> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, (it) => `\\${it}`)}%`
  const like = sql.raw(dialect === 'postgres' ? 'ilike' : 'like')
  return sql.join(
    names.map((it) => sql`${sql.ref(it)} ${like} ${pattern} escape '\\'`),
    sql` or `,
  )
}

/**
 * Returns recorded entries of a kind, newest first, by time and then by number. The texts of an entry are read only when
 * it is on the page, and those that a search examines.
 */
export async function listRecordedEntries(
  query: PlatformQuery,
  kind: RecordedKind,
  { account, status, search, since, after, limit }: RecordedEntryFilters,
  dialect: 'sqlite' | 'postgres',
): Promise<RecordedPage> {
  const source = sources[kind]()
  const isFailed = status?.toLowerCase() === 'failed'
  if (isFailed && source.failed === null) return { entries: [] }
  const conditions = [
    sql`1 = 1`,
    ...(account === undefined ? [] : [sql`r.account_id = ${account}`]),
    // A literal, as the condition of the index of failures.
    ...(isFailed && source.failed !== null ? [sql`${source.status} = ${sql.lit(source.failed)}`] : []),
    ...(since === undefined ? [] : [sql`r.created_at >= ${since}`]),
    ...(after === undefined
      ? []
      : [sql`(r.created_at < ${after.at} or (r.created_at = ${after.at} and ${source.order} < ${after.order}))`]),
  ]
  const examined = [
    ...(status === undefined || isFailed ? [] : [sql`lower(cast(${source.status} as text)) = ${status.toLowerCase()}`]),
    ...(search === undefined ? [] : [sql`(${contains(source.searched, search, dialect)})`]),
  ]
  // The plus keeps the database from reading all entries in order, instead of the few failures.
  const by = sql.raw(isFailed ? '+' : '')
  const newest = (limited: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`from ${source.table} where ${sql.join(conditions, sql` and `)} order by ${by}r.created_at desc, ${by}${source.order} desc ${limited}`
  const from = sql`${source.table} ${source.joined ?? sql``}`
  const ofOrder = (numbers: RawBuilder<unknown>): RawBuilder<unknown> => sql`${source.order} in (${numbers})`
  // On shards, it sends the statement to one. The plus keeps SQLite from preferring an index of the account to the numbers.
  const plus = sql.raw(dialect === 'sqlite' ? '+' : '')
  const ofAccount = account === undefined ? sql`` : sql` and ${plus}r.account_id = ${account}`
  const someNewest = newest(sql`limit ${sql.lit(maxExamined)}`)
  // With numbers only, PostgreSQL prefers to read the whole table. Failures are sorted, which their texts would slow down.
  const candidates = isFailed
    ? sql`${from} where ${ofOrder(sql`select ${source.order} ${someNewest}`)}${ofAccount}`
    : sql`(select r.* ${someNewest}) as r ${source.joined ?? sql``} where 1 = 1${ofAccount}`
  // The numbers first: sorting a whole table with its texts would take several times as long.
  const numbers =
    examined.length === 0
      ? sql`select ${source.order} ${newest(sql`limit ${limit}`)}`
      : sql`select ${source.order} from ${candidates} and ${sql.join(examined, sql` and `)}
          order by r.created_at desc, ${source.order} desc limit ${limit}`
  const { rows } =
    await sql<RecordedEntry>`select ${source.order} as "order", r.account_id as account, r.created_at as at,
    ${source.status} as status, ${source.title} as title, substr(${source.text}, 1, ${sql.raw(String(maxTextLength))}) as text,
    ${source.subject} as subject
    from ${from} where ${ofOrder(numbers)}${ofAccount} order by r.created_at desc, ${source.order} desc`.execute(query)
  const entries = rows.map((row) => ({
    ...row,
    order: Number(row.order),
    account: Number(row.account),
    at: Number(row.at),
  }))
  if (examined.length === 0 || entries.length === limit) return { entries }
  const { rows: ends } = await sql<{ at: number; order: number }>`select r.created_at as at, ${source.order} as "order"
    ${newest(sql`limit 1 offset ${sql.lit(maxExamined - 1)}`)}`.execute(query)
  const [end] = ends
  return end ? { entries, end: { at: Number(end.at), order: Number(end.order) } } : { entries }
}
