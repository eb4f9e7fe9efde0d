// Counters of long lists, from which pages and exact totals are read at any depth: counted-list.ts explains levels and buckets. Triggers of the database maintain
// them, not the code that writes rows. The released migrations 0003 and 0004 create them with countedSchema, so a change of a table, filter or trigger here needs a
// migration that replaces the triggers and rebuilds the counters. `joined` is only read, and needs none.

import { sql } from 'kysely'
import type { Query, Statement } from '../database/connection.ts'
import {
  bucketBits,
  type CountedList,
  counterKey,
  counterTable,
  filterCombinations,
  positionSql,
  wildcardSql,
} from './counted-list.ts'

/**
 * The settings of a campaign `c`, for lists of leads, if its hours or those of the account `h` depend on each lead. The
 * text is that of the stored JSON, which has no spaces: campaign-fields.ts writes the field with this name.
 */
export const recipientSettingsSql = `case when c.settings like '%"window_timezone":"recipient"%' or h.settings is not null then c.settings end`

/** Leads with their campaign and the hours of the account. */
export const leadList: CountedList = {
  table: 'lead',
  filters: { campaign_id: 0, status: '' },
  joined: {
    join: 'join campaign c on c.account_id = r.account_id and c.id = r.campaign_id left join contact_hours h on h.account_id = r.account_id',
    columns: `c.name as campaign_name, c.channel as campaign_channel, ${recipientSettingsSql} as recipient_settings`,
  },
}

/** Conversations with their assistant. The row of a deleted assistant still exists for them. */
export const conversationList: CountedList = {
  table: 'conversation',
  filters: { assistant_id: 0, type: '' },
  joined: {
    join: 'join assistant a on a.account_id = r.account_id and a.id = r.assistant_id',
    columns: 'a.uuid as assistant_uuid, a.name as assistant_name',
  },
}

/** Every list with counters, for checks and rebuilds. */
export const countedLists: readonly CountedList[] = [leadList, conversationList]

/** Returns the correct counts of the rows that meet a condition as SQL. The rows are read once, and the coarser counts are sums of the finest. */
function countsSql(list: CountedList, condition = 'true'): string {
  const filters = Object.keys(list.filters)
  const finest = ['account_id', ...filters].join(', ')
  const [fine] = bucketBits
  const sums = filterCombinations(list).flatMap((given) =>
    bucketBits.map((own, level) => {
      const bits = own - fine
      const columns = ['account_id', ...filters.filter((it) => given.includes(it)), `bucket >> ${bits}`].join(', ')
      const values = filters.map((it) => (given.includes(it) ? it : `${wildcardSql(list, it)} as ${it}`)).join(', ')
      return `select account_id, ${values}, ${level} as level, bucket >> ${bits} as bucket, 0 as shard, sum(n) as n from finest group by ${columns}`
    }),
  )
  return `with finest as materialized (select ${finest}, ${positionSql()} >> ${fine} as bucket, count(*) as n from ${list.table} where ${condition} group by ${finest}, ${positionSql()} >> ${fine})
    ${sums.join(' union all ')}`
}

/**
 * Returns the number of counters that differ from the rows. The statement for one account has them as they are at one time.
 * That for all accounts may see some shards of Citus after changes that it does not see on others.
 */
export async function countWrongCounters(query: Query, list: CountedList): Promise<number> {
  let wrong = 0
  for (const { account } of await findWrongCounters(query, list))
    for (const { n } of await findWrongCounters(query, list, `account_id = ${Number(account)}`)) wrong += Number(n)
  return wrong
}

/** Returns the accounts with counters that differ from the rows, among those that meet a condition. */
async function findWrongCounters(
  query: Query,
  list: CountedList,
  condition = 'true',
): Promise<readonly { readonly account: number; readonly n: number }[]> {
  const key = counterKey(list).slice(0, -1).join(', ')
  const counters = `select ${key}, n from ${counterTable(list)} where ${condition}`
  const { rows } = await sql
    .raw<{ account: number; n: number }>(`select account_id as account, count(*) as n from (
      select account_id from (${counters} union all select ${key}, -n from (${countsSql(list, condition)}) x) y
      group by ${key} having sum(n) <> 0) z group by account_id`)
    .execute(query)
  return rows
}

/** Returns SQL that fills the empty counters of a list from its rows. */
export const countRowsSql = (list: CountedList): string =>
  `insert into ${counterTable(list)} (${counterKey(list).join(', ')}, n) ${countsSql(list)}`

/** Rebuilds the counters in the caller's transaction. Takes about 2 s per million rows and blocks other writers. */
export async function rebuildCounters(query: Query, list: CountedList): Promise<void> {
  await sql`delete from ${sql.table(counterTable(list))}`.execute(query)
  await sql.raw(countRowsSql(list)).execute(query)
}

/**
 * On PostgreSQL, several connections count at the same time. Most of them have separate counter rows, so that they
 * rarely wait for each other.
 */
const shardSql = 'pg_backend_pid() & 7'

/** Returns the counters, triggers and indexes of a list, for the migration that creates its table. */
export function countedSchema(list: CountedList): Statement[] {
  const { table } = list
  const columns = Object.entries(list.filters).map(
    ([column, any]) => `${column} ${any === '' ? 'text' : '{{bigint}}'} not null,`,
  )
  const counters = `create table ${counterTable(list)} (
      account_id {{bigint}} not null,
      ${columns.join('\n      ')}
      level {{bigint}} not null,
      bucket {{bigint}} not null,
      shard {{bigint}} not null,
      n {{bigint}} not null,
      primary key (${counterKey(list).join(', ')})
    )`
  return [
    { sqlite: `${counters} strict, without rowid`, postgres: counters },
    ...filterCombinations(list).map(
      (given) =>
        `create index ${[table, 'listed', ...given].join('_')} on ${table} (${['account_id', ...given, positionSql()].join(', ')})`,
    ),
    ...sqliteTriggers(list).map((sqlite) => ({ sqlite })),
    ...postgresTriggers(list).map((postgres) => ({ postgres })),
  ]
}

const addCountsSql = (list: CountedList): string => `set n = ${counterTable(list)}.n + excluded.n`

/** Returns the statement that counts one row, added or removed. */
function countRowSql(list: CountedList, row: 'old' | 'new', shard: string): string {
  const key = counterKey(list).join(', ')
  const values = filterCombinations(list).flatMap((given) => {
    const filters = Object.keys(list.filters).map((column) =>
      given.includes(column) ? `${row}.${column}` : wildcardSql(list, column),
    )
    return bucketBits.map(
      (bits, level) =>
        `(${[`${row}.account_id`, ...filters, level, `${positionSql(`${row}.`)} >> ${bits}`, shard, row === 'new' ? 1 : -1].join(', ')})`,
    )
  })
  return `insert into ${counterTable(list)} (${key}, n) values ${values.join(', ')} on conflict (${key}) do update ${addCountsSql(list)};`
}

/** Returns the columns whose change counts, and the condition that one has changed. */
function watchedColumns(list: CountedList) {
  const watched = ['account_id', ...Object.keys(list.filters), 'created_at']
  return {
    watched: watched.join(', '),
    differs: watched.map((column) => `old.${column} <> new.${column}`).join(' or '),
  }
}

/** Returns the triggers that count every change on SQLite, row by row. */
function sqliteTriggers(list: CountedList): string[] {
  const { table } = list
  const { watched, differs } = watchedColumns(list)
  const [added, removed] = [countRowSql(list, 'new', '0'), countRowSql(list, 'old', '0')]
  return [
    `create trigger ${table}_counted_insert after insert on ${table} begin ${added} end`,
    `create trigger ${table}_counted_delete after delete on ${table} begin ${removed} end`,
    `create trigger ${table}_counted_update after update of ${watched} on ${table} when ${differs} begin ${removed} ${added} end`,
  ]
}

/**
 * Returns the triggers for the shards of Citus, which count row by row: on a shard, a trigger for each statement does not see
 * the rows.
 */
export function shardedTriggers(list: CountedList): {
  readonly functions: readonly string[]
  readonly triggers: readonly { readonly name: string; readonly sql: string }[]
} {
  const { table } = list
  const { watched, differs } = watchedColumns(list)
  const slot = 'slot'
  const trigger = (name: string, when: string) => ({
    name,
    sql: `create trigger ${name} ${when} execute function ${table}_counted()`,
  })
  return {
    functions: [
      `create or replace function ${table}_counted() returns trigger language plpgsql as $$
      declare ${slot} bigint := ${shardSql};
      begin
        if tg_op <> 'INSERT' then ${countRowSql(list, 'old', slot)} end if;
        if tg_op <> 'DELETE' then ${countRowSql(list, 'new', slot)} end if;
        return null;
      end $$`,
    ],
    triggers: [
      trigger(`${table}_counted_row`, `after insert or delete on ${table} for each row`),
      trigger(`${table}_counted_change`, `after update of ${watched} on ${table} for each row when (${differs})`),
    ],
  }
}

/** Returns the triggers for PostgreSQL, which count all rows of a statement together. */
function postgresTriggers(list: CountedList): string[] {
  const { table } = list
  const key = counterKey(list).join(', ')
  const filters = Object.keys(list.filters)
  const columns = ['account_id', ...filters, 'created_at', 'id'].join(', ')
  const keys = filterCombinations(list).map(
    (given) =>
      `(${filters.map((column) => (given.includes(column) ? `r.${column}` : wildcardSql(list, column))).join(', ')})`,
  )
  const levels = bucketBits.map((bits, level) => `(${level}, ${bits})`).join(', ')
  // All transactions insert in one order, so that they do not wait for each other in a circle.
  const count = (rows: string): string => `insert into ${counterTable(list)} (${key}, n)
      select r.account_id, ${filters.map((it) => `k.${it}`).join(', ')}, l.level, ${positionSql('r.')} >> l.bits, ${shardSql}, sum(r.n)
      from (${rows}) r cross join lateral (values ${keys.join(', ')}) k (${filters.join(', ')}) cross join (values ${levels}) l (level, bits)
      group by ${filters.map((_, n) => n + 2).join(', ')}, 1, ${filters.length + 2}, ${filters.length + 3} having sum(r.n) <> 0
      order by 1, ${filters.map((_, n) => n + 2).join(', ')}, ${filters.length + 2}, ${filters.length + 3}
      on conflict (${key}) do update ${addCountsSql(list)};`
  const added = `select ${columns}, 1 as n from added`
  const removed = `select ${columns}, -1 as n from removed`
  const trigger = (name: string, tables: string): string =>
    `create trigger ${table}_counted_${name} after ${name} on ${table} referencing ${tables} for each statement execute function ${table}_counted()`
  return [
    `create function ${table}_counted() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then ${count(added)}
      elsif tg_op = 'DELETE' then ${count(removed)}
      else ${count(`${added} union all ${removed}`)}
      end if;
      return null;
    end $$`,
    trigger('insert', 'new table as added'),
    trigger('delete', 'old table as removed'),
    trigger('update', 'old table as removed new table as added'),
  ]
}
