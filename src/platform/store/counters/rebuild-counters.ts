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

/** Returns the correct counts as SQL. The rows are read once, and the coarser counts are sums of the finest. */
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

/**
 * Returns the number of counters that differ from the rows. A single statement, so that concurrent writes do not affect
 * the result.
 */
export async function countWrongCounters(query: Query, list: CountedList): Promise<number> {
  const key = counterKey(list).slice(0, -1).join(', ')
  const { rows } = await sql<{ n: number }>`select count(*) as n from (
      select 1 from (select ${sql.raw(key)}, n from ${sql.table(`${list.table}_count`)} union all select ${sql.raw(key)}, -n from (${sql.raw(countsSql(list))}) x) y
      group by ${sql.raw(key)} having sum(n) <> 0) z`.execute(query)
  return Number(rows[0]?.n)
}

/** Returns SQL that fills the empty counters of a list from its rows. */
export const countRowsSql = (list: CountedList): string =>
  `insert into ${list.table}_count (${counterKey(list).join(', ')}, n) ${countsSql(list)}`

/** Rebuilds the counters in the caller's transaction. Takes about 2 s per million rows and blocks other writers. */
export async function rebuildCounters(query: Query, list: CountedList): Promise<void> {
  await sql`delete from ${sql.table(`${list.table}_count`)}`.execute(query)
  await sql.raw(countRowsSql(list)).execute(query)
}
