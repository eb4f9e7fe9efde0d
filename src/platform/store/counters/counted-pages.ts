import { type RawBuilder, sql } from 'kysely'
import { accountCondition } from '../database/account-query.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import {
  bucketBits,
  bucketSizes,
  type CountedList,
  counterKey,
  counterTable,
  dayStartPosition,
  maxPosition,
  positionSql,
} from './counted-list.ts'

/** Query for a page. Days count from 1970 (UTC), both inclusive. */
export interface PageQuery {
  readonly account: number
  readonly filters: Readonly<Record<string, number | string | undefined>>
  readonly fromDay?: number | undefined
  readonly toDay?: number | undefined
  readonly offset: number
  readonly limit: number
}

/** A page of a list whose total comes from counters, not from counting its rows. */
export interface CountedPage<Row> {
  readonly rows: Row[]
  /** Total number of rows that match the filters, on every page. */
  readonly total: number
}

type Value = number | string
type Part = RawBuilder<unknown>

/**
 * Coarsest buckets that lie completely in a range of positions, and the rest above and below them in finer buckets;
 * first and last of each.
 */
interface Ranges {
  readonly coarse: readonly [number, number]
  readonly above: readonly [number, number]
  readonly below: readonly [number, number]
}

const emptyRange = [1, 0] as const

function bucketRanges(from: number, to: number): Ranges {
  const [, fine, coarse] = bucketSizes
  const first = Math.ceil(from / coarse)
  const last = to === maxPosition ? Math.floor(to / coarse) : Math.floor((to + 1) / coarse) - 1
  const fineOf = (a: number, b: number): readonly [number, number] =>
    a > b ? emptyRange : [Math.floor(a / fine), Math.floor(b / fine)]
  if (first > last) return { coarse: emptyRange, above: fineOf(from, to), below: emptyRange }
  return { coarse: [first, last], above: fineOf((last + 1) * coarse, to), below: fineOf(from, first * coarse - 1) }
}

/** Compiles the SQL statements of a list for a combination of filters and a reading direction. */
function pageStatements(list: CountedList, given: readonly string[], direction: 'asc' | 'desc') {
  const counters = sql.table(counterTable(list))
  const filters = counterKey(list).slice(0, -3)
  const order = sql.raw(direction)
  const and = (parts: readonly Part[]): Part => sql.join([...parts], sql` and `)
  const keyIs = (values: readonly Value[]): Part =>
    and(filters.map((column, n) => sql`${sql.ref(column)} = ${values[n]}`))
  const buckets = (key: readonly Value[], level: 1 | 2, first: Value | undefined, last: Value | undefined): Part =>
    sql`select ${sql.lit(level)} as level, bucket, bucket << ${sql.lit(bucketBits[level])} as start, sum(n) as n from ${counters}
      where ${keyIs(key)} and level = ${sql.lit(level)} and bucket between ${first} and ${last} group by bucket`
  const inside = (
    key: readonly Value[],
    level: Value | undefined,
    first: Value | undefined,
    last: Value | undefined,
  ): Part =>
    sql`select level, bucket, bucket as start, sum(n) as n from ${counters}
      where ${keyIs(key)} and level = ${level} and bucket between ${first} and ${last} group by level, bucket`
  const all = (key: readonly Value[], [a, b, c, d, e, f]: readonly Value[]): Part =>
    sql`${buckets(key, 2, a, b)} union all ${buckets(key, 1, c, d)} union all ${buckets(key, 1, e, f)}`
  const statement = <Row>(build: (values: readonly Value[], query: AccountQuery) => Part) =>
    compiledQuery<Value[], Row, AccountQuery>((query, ...values) => ({
      compile: () => (build(values, query) as RawBuilder<Row>).compile(query),
    }))
  const size = filters.length

  return {
    total: statement<{ total: number }>(
      (it) => sql`select coalesce(sum(n), 0) as total from (${all(it.slice(0, size), it.slice(size))}) f`,
    ),
    buckets: statement<Bucket>(
      (it) => sql`select level, bucket, n from (${all(it.slice(0, size), it.slice(size))}) f order by start ${order}`,
    ),
    /** Reads the finer buckets inside a bucket. */
    inside: statement<Bucket>(
      (parameters) =>
        sql`select level, bucket, n from (${inside(parameters.slice(0, size), parameters[size], parameters[size + 1], parameters[size + 2])}) f order by bucket ${order}`,
    ),

    /** Reads rows between two positions after skipped ones. Only the returned rows are read from the table. */
    rows: statement<never>((parameters, query) => {
      const conditions = ['account_id', ...given].map((column, n) => sql`${sql.ref(column)} = ${parameters[n]}`)
      const [first, last, limit, skip] = parameters.slice(given.length + 1)
      const { joined } = list
      const position = sql.raw(positionSql())
      return sql`select r.*${sql.raw(joined ? `, ${joined.columns}` : '')}
        from (select account_id, id from ${sql.table(list.table)} where ${and(conditions)} and ${position} between ${first} and ${last} order by ${position} ${order} limit ${limit} offset ${skip}) p
        join ${sql.table(list.table)} r on r.account_id = p.account_id and r.id = p.id ${sql.raw(joined?.join ?? '')} where ${accountCondition(query, 'r.account_id')} order by ${sql.raw(positionSql('r.'))} desc`
    }),
  }
}

/** Bucket with its number of rows. */
interface Bucket {
  readonly level: number
  readonly bucket: number
  readonly n: number
}

/** Returns the bucket with the row after `skip` others, and how many of them are in earlier buckets. */
function findBucket(buckets: readonly Bucket[], skip: number): { readonly found: Bucket; before: number } | undefined {
  let before = 0
  for (const found of buckets) {
    if (before + Number(found.n) > skip) return { found, before }
    before += Number(found.n)
  }
  return undefined
}

/**
 * Creates a function that reads pages of a list, newest first, with the total, from the nearer end. In `joined`, the
 * row is named `r`.
 * Up to `maxSkippedRows` rows are skipped, because this is faster than finding the start with the counters.
 */
export function createPageReader<Row>(
  list: CountedList,
  maxSkippedRows = 200,
): (query: AccountQuery, page: PageQuery) => Promise<CountedPage<Row>> {
  const known = new Map<string, ReturnType<typeof pageStatements>>()
  const columns = Object.keys(list.filters)

  function statements(given: readonly string[], direction: 'asc' | 'desc'): ReturnType<typeof pageStatements> {
    const name = `${direction} ${given}`
    const statements = known.get(name) ?? pageStatements(list, given, direction)
    known.set(name, statements)
    return statements
  }

  return async (query, { account, filters, fromDay, toDay, offset, limit }) => {
    const given = columns.filter((column) => filters[column] !== undefined)
    const key = [account, ...columns.map((column) => filters[column] ?? (list.filters[column] as Value))]
    const [first, last] = [
      dayStartPosition(fromDay ?? 0),
      toDay === undefined ? maxPosition : dayStartPosition(toDay + 1) - 1,
    ]
    const { coarse, above, below } = bucketRanges(first, last)
    const ranges = [...coarse, ...above, ...below]

    const isNear = offset <= maxSkippedRows
    const buckets = isNear ? [] : await statements(given, 'desc').buckets(query, ...key, ...ranges)
    const total = isNear
      ? Number((await statements(given, 'desc').total(query, ...key, ...ranges))[0]?.total)
      : buckets.reduce((sum, { n }) => sum + Number(n), 0)
    const size = Math.min(limit, total - offset)
    if (size <= 0) return { total, rows: [] }
    const values = [account, ...given.map((column) => filters[column] as Value)]
    let isDown = offset <= total / 2
    let skip = isDown ? offset : total - offset - size
    let [low, high] = [first, last]
    if (skip > maxSkippedRows) {
      const finer = statements(given, isDown ? 'desc' : 'asc')
      let match = findBucket(isDown ? buckets : buckets.toReversed(), skip)
      while (match && match.found.level > 0) {
        skip -= match.before
        const { level, bucket } = match.found
        const parts = (bucketSizes[level] as number) / (bucketSizes[level - 1] as number)
        const range = [level - 1, bucket * parts, (bucket + 1) * parts - 1] as const
        match = findBucket(await finer.inside(query, ...key, ...range), skip)
      }
      // Rows may be deleted between two queries, so that none are left here.
      if (!match) return { total, rows: [] }
      skip -= match.before
      const { bucket, n } = match.found
      const [start, end] = [bucket * bucketSizes[0], (bucket + 1) * bucketSizes[0] - 1]
      // A page in the second half of its bucket is nearer to the other end.
      const left = Number(n) - skip - size
      if (left >= 0 && left < skip) {
        isDown = !isDown
        skip = left
      }
      if (isDown) high = Math.min(high, end)
      else low = Math.max(low, start)
    }
    const read = statements(given, isDown ? 'desc' : 'asc')
    return { total, rows: await read.rows(query, ...values, low, high, size, skip) }
  }
}
