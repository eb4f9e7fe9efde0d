import { leadList } from '../../src/platform/store/counters/counted-lists.ts'
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

/** A table, what differs in its copied rows, and a condition on the rows that are copied. */
type Copies = readonly [table: string, columns: Columns, condition?: string]

/** Rows of every kind that an account lists. */
const kinds: readonly Copies[] = [
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
]

const created_at = '1700000000000000 + n * 1000000'
const failedOf = (failed: string, others: string): string =>
  `case when n % 1000 = 0 then '${failed}' else '${others}' end`

/** Rows of everything that the timeline shows, one of a thousand of them failed. */
const records: readonly Copies[] = [
  ['outbox', { id, created_at, handled_at: '1' }],
  ['delivery', { id, created_at, message_id: text('m'), outbox_id: 'null', status: failedOf('failed', 'delivered') }],
  [
    'automation_run',
    { number: id, id: text('r'), created_at, dedupe_key: 'null', status: failedOf('FAILED', 'SUCCEEDED') },
  ],
  ['message', { id, created_at, idempotency_key: 'null' }],
  ['phone_call', { id, created_at, idempotency_key: 'null', status: failedOf('failed', 'completed') }],
  ['ledger', { id, created_at, reference: 'null' }],
]

/** As many rows of each kind that account 1 lists, with references to each other. */
export const accountFilling: Filling = {
  tables: kinds.map(([table]) => table),
  lists: [leadList],
  fill: (database, rows) => copyRows(database, rows, kinds),
}

/** As many rows of each kind of record of account 1. */
export const recordFilling: Filling = {
  tables: records.map(([table]) => table),
  lists: [],
  fill: (database, rows) => copyRows(database, rows, records),
}

/** Adds `rows` copies of rows of account 1 to each table. */
function copyRows(database: SqliteDatabase, rows: number, copies: readonly Copies[]): void {
  for (const copy of copies) {
    const columns = database
      .prepare('select name from pragma_table_info(?)')
      .all([copy[0]])
      .map(({ name }) => String(name))
    database.exec(copyStatement(copy, columns, rows))
  }
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
  }
}

const copyStatement = (
  [table, changes, condition = 'true']: Copies,
  columns: readonly string[],
  rows: number,
): string =>
  `insert into ${table} (${columns.join(', ')})
    with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${rows})
    select ${columns.map((it) => changes[it] ?? it).join(', ')} from numbers join (
      select *, row_number() over () as place, count(*) over () as places from ${table} where account_id = 1 and ${condition}
    ) as rows on place = 1 + n % places`
