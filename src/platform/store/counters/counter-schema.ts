import type { Statement } from '../database/connection.ts'
import {
  bucketBits,
  type CountedList,
  counterKey,
  filterCombinations,
  positionSql,
  wildcardSql,
} from './counted-list.ts'

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
  const counters = `create table ${table}_count (
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

const addCountsSql = ({ table }: CountedList): string => `set n = ${table}_count.n + excluded.n`

/** Returns the triggers that count every change on SQLite, row by row. */
function sqliteTriggers(list: CountedList): string[] {
  const { table } = list
  const key = counterKey(list).join(', ')
  const count = (row: 'old' | 'new', n: 1 | -1): string => {
    const values = filterCombinations(list).flatMap((given) => {
      const filters = Object.keys(list.filters).map((column) =>
        given.includes(column) ? `${row}.${column}` : wildcardSql(list, column),
      )
      return bucketBits.map(
        (bits, level) =>
          `(${[`${row}.account_id`, ...filters, level, `${positionSql(`${row}.`)} >> ${bits}`, 0, n].join(', ')})`,
      )
    })
    return `insert into ${table}_count (${key}, n) values ${values.join(', ')} on conflict (${key}) do update ${addCountsSql(list)};`
  }
  const watched = ['account_id', ...Object.keys(list.filters), 'created_at']
  const differs = watched.map((column) => `old.${column} <> new.${column}`).join(' or ')
  return [
    `create trigger ${table}_counted_insert after insert on ${table} begin ${count('new', 1)} end`,
    `create trigger ${table}_counted_delete after delete on ${table} begin ${count('old', -1)} end`,
    `create trigger ${table}_counted_update after update of ${watched.join(', ')} on ${table} when ${differs} begin ${count('old', -1)} ${count('new', 1)} end`,
  ]
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
  const count = (rows: string): string => `insert into ${table}_count (${key}, n)
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
