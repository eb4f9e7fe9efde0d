import { type RawBuilder, sql } from 'kysely'
import { compiled } from '../compiled.ts'
import type { Query } from '../connection.ts'
import { bucketBits, bucketSizes, type CountedList, endOfPositions, keyOf, positionOf, positionOfDay } from './counted-list.ts'

/** A page that is asked for. Days count from 1970 (UTC), both inclusive. */
export interface WantedPage {
  readonly account: number
  readonly filters: Readonly<Record<string, number | string | undefined>>
  readonly fromDay?: number | undefined
  readonly toDay?: number | undefined
  readonly offset: number
  readonly limit: number
}

export interface CountedPage<Row> {
  readonly rows: Row[]
  /** How many rows there are under the filters, on every page. */
  readonly total: number
}

type Value = number | string
type Part = RawBuilder<unknown>

/** The coarse buckets that lie wholly in a range of positions, and what is left of it above and below them, in fine buckets; first and last of each. */
interface Ranges {
  readonly coarse: readonly [number, number]
  readonly above: readonly [number, number]
  readonly below: readonly [number, number]
}

const nothing = [1, 0] as const

function rangesOf(from: number, to: number): Ranges {
  const [fine, coarse] = bucketSizes
  const first = Math.ceil(from / coarse)
  const last = to === endOfPositions ? Math.floor(to / coarse) : Math.floor((to + 1) / coarse) - 1
  const fineOf = (a: number, b: number): readonly [number, number] => (a > b ? nothing : [Math.floor(a / fine), Math.floor(b / fine)])
  if (first > last) return { coarse: nothing, above: fineOf(from, to), below: nothing }
  return { coarse: [first, last], above: fineOf((last + 1) * coarse, to), below: fineOf(from, first * coarse - 1) }
}

/** Everything that is one SQL text for a list and a choice of filters, compiled once. */
function statementsOf(list: CountedList, given: readonly string[]) {
  const counters = sql.table(`${list.table}_count`)
  const filters = keyOf(list).slice(0, -3)
  const and = (parts: readonly Part[]): Part => sql.join([...parts], sql` and `)
  const keyIs = (values: readonly Value[]): Part => and(filters.map((column, n) => sql`${sql.ref(column)} = ${values[n]}`))
  const buckets = (key: readonly Value[], level: number, first: Value | undefined, last: Value | undefined): Part =>
    sql`select ${sql.lit(level)} as level, bucket, bucket << ${sql.lit(bucketBits[level] as number)} as start, sum(n) as n from ${counters}
      where ${keyIs(key)} and level = ${sql.lit(level)} and bucket between ${first} and ${last} group by bucket`
  /** The bucket in which the offset falls, reading from the newest one on, and how many rows come before it. */
  const reached = (found: Part, offset: Value | undefined): Part =>
    sql`select level, bucket, before from (select level, bucket, n, start, sum(n) over (order by start desc rows unbounded preceding) - n as before from ${found} f) w
      where before + n > ${offset} order by start desc limit 1`
  const all = (key: readonly Value[], [a, b, c, d, e, f]: readonly Value[]): Part =>
    sql`${buckets(key, 1, a, b)} union all ${buckets(key, 0, c, d)} union all ${buckets(key, 0, e, f)}`
  const statement = <Row>(build: (values: readonly Value[]) => Part) =>
    compiled<Value[], Row>((query, ...values) => ({ compile: () => (build(values) as RawBuilder<Row>).compile(query) }) as never)
  const size = filters.length

  return {
    total: statement<{ total: number }>((it) => sql`select coalesce(sum(n), 0) as total from (${all(it.slice(0, size), it.slice(size))}) f`),

    /** In which bucket the page begins. No row when the offset is beyond all of them. */
    bucket: statement<{ total: number; level: number | null; bucket: number; before: number }>(
      (it) => sql`with f as (${all(it.slice(0, size), it.slice(size))})
        select t.total, b.level, b.bucket, b.before from (select coalesce(sum(n), 0) as total from f) t left join (${reached(sql`f`, it[size + 6])}) b on true`,
    ),

    /** In which fine bucket of a coarse one. */
    fine: statement<{ bucket: number; before: number }>((it) => reached(sql`(${buckets(it.slice(0, size), 0, it[size], it[size + 1])})`, it[size + 2])),

    /** The rows from a position down to another. */
    rows: statement<never>((it) => {
      const conditions = ['account_id', ...given].map((column, n) => sql`r.${sql.ref(column)} = ${it[n]}`)
      const position = sql.raw(positionOf('r.'))
      const [from, to, limit, offset] = it.slice(given.length + 1)
      const { beside } = list
      return sql`select r.*${sql.raw(beside ? `, ${beside.columns}` : '')} from ${sql.table(list.table)} r ${sql.raw(beside?.join ?? '')}
        where ${and(conditions)} and ${position} between ${from} and ${to} order by ${position} desc limit ${limit} offset ${offset}`
    }),
  }
}

/** Reads pages of a list, newest first, each with the total; the row is named `r` in what stands beside it. */
export function countedPages<Row>(list: CountedList): (query: Query, wanted: WantedPage) => Promise<CountedPage<Row>> {
  const known = new Map<string, ReturnType<typeof statementsOf>>()
  const columns = Object.keys(list.filters)

  return async (query, { account, filters, fromDay, toDay, offset, limit }) => {
    const given = columns.filter((column) => filters[column] !== undefined)
    const name = given.join()
    const statements = known.get(name) ?? statementsOf(list, given)
    known.set(name, statements)

    const key = [account, ...columns.map((column) => filters[column] ?? (list.filters[column] as Value))]
    const [from, to] = [positionOfDay(fromDay ?? 0), toDay === undefined ? endOfPositions : positionOfDay(toDay + 1) - 1]
    const { coarse, above, below } = rangesOf(from, to)
    const ranges = [...coarse, ...above, ...below]
    const rows = async (top: number, skip: number): Promise<Row[]> =>
      statements.rows(query, account, ...given.map((column) => filters[column] as Value), from, top, limit, skip)

    if (offset === 0) {
      const total = Number((await statements.total(query, ...key, ...ranges))[0]?.total)
      return { total, rows: total === 0 ? [] : await rows(to, 0) }
    }
    const [found] = await statements.bucket(query, ...key, ...ranges, offset)
    const total = Number(found?.total)
    if (!found || found.level === null) return { total, rows: [] }
    let [bucket, skip] = [found.bucket, offset - found.before]
    if (found.level === 1) {
      const inside = bucketSizes[1] / bucketSizes[0]
      const [fine] = await statements.fine(query, ...key, bucket * inside, (bucket + 1) * inside - 1, skip)
      // Rows may go between two looks; then the page is a little off, as pages by number are.
      if (!fine) return { total, rows: [] }
      bucket = fine.bucket
      skip -= fine.before
    }
    return { total, rows: await rows((bucket + 1) * bucketSizes[0] - 1, skip) }
  }
}
