import { conversationList, leadList } from '../../src/platform/store/counters/counted-lists.ts'
import type { SqliteDatabase } from '../../src/platform/store/sqlite/libsql-driver.ts'
import { order } from '../support/servers/postgres-server.ts'
import type { Filling } from './cached-data.ts'

/** The id before that of the first row of each kind created here. Rows of different kinds with the same number belong together. */
export const firstId = 1_000_000

/** SQL of the columns of a copied row, by column. `n` is its number from 1; other columns are those of a row of the sample data. */
type Columns = Readonly<Record<string, string>>

const id = `${firstId} + n`
/** The id of the row of another kind with the same number, if the copied row has one. */
const sameNumber = (column: string): string => `case when ${column} is null then null else ${id} end`
/** A text for each row, in the order of their numbers. */
const text = (prefix: string): string => `'${prefix}' || (${10 ** 10} + n)`

/**
 * A table, what differs in its copied rows, and a condition on the rows that are copied; null if the sample data has none, so that
 * all values are given.
 */
type Copies = readonly [table: string, columns: Columns, condition?: string | null]

/** A time for each row, in the order of their numbers. */
const created_at = '1700000000000000 + n * 1000000'

/** Rows of each of the twenty kinds that an account has most of. */
export const kinds: readonly Copies[] = [
  ['folder', { id, name: "name || ' ' || n" }],
  ['label', { id, name: "name || ' ' || n" }],
  ['tool', { id, name: "name || '_' || n" }],
  ['knowledge_base', { id, name: "name || ' ' || n" }],
  ['knowledge_document', { id, knowledge_base_id: id }],
  ['phone_number', { id, phone_number: "'+1415' || (2000000 + n)" }, "type = 'normal'"],
  [
    'assistant',
    {
      id,
      uuid: "printf('00000000-0000-4000-8000-%012d', n)",
      name: "name || ' ' || n",
      phone_number_id: sameNumber('phone_number_id'),
      folder_id: sameNumber('folder_id'),
      knowledgebase_id: sameNumber('knowledgebase_id'),
    },
    'deleted_at is null',
  ],
  ['assistant_label', { assistant_id: id, label_id: id }],
  ['assistant_tool', { assistant_id: id, tool_id: id, position: '0' }],
  ['sender', { id, phone_number: "'+1416' || (2000000 + n)", assistant_id: sameNumber('assistant_id') }],
  ['message_template', { id, sender_id: id }],
  [
    'campaign',
    { id, name: "name || ' ' || n", status: "'paused'", assistant_id: sameNumber('assistant_id') },
    'deleted_at is null',
  ],
  ['lead', { id, campaign_id: id, phone_number: "'+1417' || (2000000 + n)" }],
  ['automation', { id: text('a'), name: "name || ' ' || n", live_version: text('v'), draft_version: 'null' }],
  [
    'automation_version',
    { id: text('v'), automation_id: text('a'), position: '1', assistant_id: sameNumber('assistant_id') },
    'position is not null',
  ],
  ['api_key', { id, name: "name || ' ' || n", hash: text('h'), last_used_at: 'null' }],
  [
    'conversation',
    { id, uuid: text('c'), assistant_id: id, sender_id: sameNumber('sender_id'), status: "'closed'", created_at },
  ],
  ['message', { id, conversation_id: id, idempotency_key: 'null' }],
  ['phone_call', { id, assistant_id: id, idempotency_key: 'null', created_at }],
  [
    'automation_run',
    { number: id, id: text('r'), automation_id: text('a'), version_id: text('v'), dedupe_key: 'null' },
  ],
]

const failedOf = (failed: string, others: string): string =>
  `case when n % 1000 = 0 then '${failed}' else '${others}' end`

const own = { account_id: '1' }
const phone = "'+1415' || (2000000 + n)"

/** Rows of everything that a list of the inspector shows, one of a thousand of them failed. */
const records: readonly Copies[] = [
  [
    'outbox',
    { ...own, id, kind: "'message.sent'", subject: text('e'), payload: "'{}'", created_at, handled_at: '1' },
    null,
  ],
  ['delivery', { id, created_at, message_id: text('m'), outbox_id: 'null', status: failedOf('failed', 'delivered') }],
  [
    'automation_run',
    { number: id, id: text('r'), created_at, dedupe_key: 'null', status: failedOf('FAILED', 'SUCCEEDED') },
  ],
  ['message', { id, created_at, idempotency_key: 'null' }],
  ['phone_call', { id, created_at, idempotency_key: 'null', status: failedOf('failed', 'completed') }],
  ['ledger', { id, created_at, reference: 'null' }],
  [
    'conversation',
    {
      ...{ id, uuid: text('c'), created_at, customer_phone: phone, status: "'closed'" },
      ...{ window_until: `case when n % 1000 = 0 then 4000000000000000 else ${created_at} end` },
    },
    "type = 'messaging'",
  ],
  [
    'channel_message',
    {
      ...{ ...own, id, created_at, updated_at: created_at, sender_id: '1', recipient_phone: phone },
      ...{ state: "'sent'", delivery_status: failedOf('failed', 'delivered'), cost: '0', body: "'Hello'" },
    },
    null,
  ],
  ['lead', { id, phone_number: phone, created_at }],
  ['due', { ...own, kind: "'later'", subject: text('d'), due_at: created_at, attempts: '0', lease_until: '0' }, null],
]

/** As many rows of each kind of account 1, with references to each other. */
export const accountFilling: Filling = {
  tables: kinds.map(([table]) => table),
  lists: [leadList, conversationList],
  fill: (database, rows) => copyRows(database, rows, kinds),
}

/** As many rows of each kind of record of account 1. */
export const recordFilling: Filling = {
  tables: records.map(([table]) => table),
  lists: [leadList, conversationList],
  fill: (database, rows) => copyRows(database, rows, records),
}

/** Adds `rows` rows of account 1 to each table. */
function copyRows(database: SqliteDatabase, rows: number, copies: readonly Copies[]): void {
  for (const copy of copies) {
    const columns = database
      .prepare('select name from pragma_table_info(?)')
      .all([copy[0]])
      .map(({ name }) => String(name))
    database.exec(copyStatement(copy, columns, rows))
    requireFilled(copy[0], database.prepare(`select count(*) as n from ${copy[0]}`).all([])[0]?.n, rows)
  }
}

/** Without a row to copy, a table stays empty, and whatever reads it is fast. @throws Error if a table has fewer rows */
function requireFilled(table: string, found: unknown, rows: number): void {
  if (Number(found) < rows) throw new Error(`The table ${table} has ${found} of ${rows} rows.`)
}

/** Adds `rows` records of each kind to account 1 of a PostgreSQL database that has the sample data. */
export async function fillPostgres(url: string, rows: number): Promise<void> {
  for (const copy of records) {
    const found = await order(
      url,
      `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = '${copy[0]}'`,
    )
    const columns = found.map(({ name }) => String(name))
    await order(url, copyStatement(copy, columns, rows))
    await order(url, `vacuum analyze ${copy[0]}`)
    requireFilled(copy[0], (await order(url, `select count(*) as n from ${copy[0]}`))[0]?.n, rows)
  }
}

function copyStatement([table, changes, condition = 'true']: Copies, columns: readonly string[], rows: number): string {
  const numbers = `with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${rows})`
  if (condition === null)
    return `insert into ${table} (${Object.keys(changes).join(', ')}) ${numbers} select ${Object.values(changes).join(', ')} from numbers`
  return `insert into ${table} (${columns.join(', ')}) ${numbers}
    select ${columns.map((it) => changes[it] ?? it).join(', ')} from numbers join (
      select *, row_number() over () as place, count(*) over () as places from ${table} where account_id = 1 and ${condition}
    ) as rows on place = 1 + n % places`
}
