import { sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import {
  bucketBits,
  type CountedList,
  counterKey,
  filterCombinations,
  positionSql,
  wildcardSql,
} from './counted-list.ts'

/** What the counters should say, as SQL: the rows are read once, and everything coarser is summed from the finest counts. */
function countsSql(list: CountedList): string {
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
  return `with finest as materialized (select ${finest}, ${positionSql()} >> ${fine} as bucket, count(*) as n from ${list.table} group by ${finest}, ${positionSql()} >> ${fine})
    ${sums.join(' union all ')}`
}

/** How many counters say something else than the rows. All of it is one look at the data, whatever is written meanwhile. */
export async function countWrongCounters(query: Query, list: CountedList): Promise<number> {
  const key = counterKey(list).slice(0, -1).join(', ')
  const { rows } = await sql<{ n: number }>`select count(*) as n from (
      select 1 from (select ${sql.raw(key)}, n from ${sql.table(`${list.table}_count`)} union all select ${sql.raw(key)}, -n from (${sql.raw(countsSql(list))}) x) y
      group by ${sql.raw(key)} having sum(n) <> 0) z`.execute(query)
  return Number(rows[0]?.n)
}

/** Counts the rows of a list that has no counters yet, as SQL. */
export const countRowsSql = (list: CountedList): string =>
  `insert into ${list.table}_count (${counterKey(list).join(', ')}, n) ${countsSql(list)}`

/** Makes the counters anew from the rows, in the caller's transaction: some 2 s for each million rows, in which nobody else writes. */
export async function rebuildCounters(query: Query, list: CountedList): Promise<void> {
  await sql`delete from ${sql.table(`${list.table}_count`)}`.execute(query)
  await sql.raw(countRowsSql(list)).execute(query)
}
