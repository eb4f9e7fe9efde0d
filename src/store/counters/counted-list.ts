/**
 * A list that is read a page at a time, newest first, under filters, with an exact total, at any size and depth.
 *
 * How to have one: describe it in lists.ts; put `...countedSchema(list)` into the migration that makes its table, after the table
 * (and `${table}_count` into Tables, as `CountTable` with its filters, and into wipe.ts after the table); read it with `countedPages(list)`.
 * Triggers keep the counters in the transaction of every change, whoever makes it; `driftOf` compares them with the rows, `recount` makes them anew.
 */
export interface CountedList {
  /** A table with `id`, `account_id` and `created_at`. */
  readonly table: string
  /** Its filters: columns that are asked for one value at a time, each with a value that no row has and that stands for all of them. */
  readonly filters: Readonly<Record<string, 0 | ''>>
  /** What a page says of each row besides its own columns: from where, and under which names. Only rows of other tables that are always there. */
  readonly joined?: { readonly join: string; readonly columns: string }
}

/** Its place among the counters' columns stands in the key, after the account and the filters. */
export interface CountTable {
  account_id: number
  level: number
  bucket: number
  shard: number
  n: number
}

/**
 * Rows stand in the order of the UTC days they were made on, and within a day in the order they were made in: both in one integer,
 * the day above, the id in the lower 36 bits. So ranges of days are ranges of positions, and a clock that is turned back, or stands still, does no harm.
 */
const positionIdBits = 36
const microsPerDay = 86_400_000_000

/** The position of a row as SQL; `row` is the name of the row and a dot, or nothing. Indexes are made of exactly this text. */
export const positionSql = (row = ''): string =>
  `(${row}created_at / ${microsPerDay} * ${2 ** positionIdBits} + ${row}id)`

/** First position of a day, counted from 1970. */
export const dayStartPosition = (day: number): number => day * 2 ** positionIdBits

/** Beyond every position. */
export const maxPosition = Number.MAX_SAFE_INTEGER

/**
 * Rows are counted by buckets of positions: fine ones of 2048 ids of a day (level 0), of 64 such (level 1), and of 32 days (level 2). So whatever is
 * looked for, some sixty counters are read at each level, also where millions were made on one day. A bucket is its positions shifted by so many bits.
 */
export const bucketBits = [11, 17, positionIdBits + 5] as const
export const bucketSizes = [2 ** bucketBits[0], 2 ** bucketBits[1], 2 ** bucketBits[2]] as const

/** Every choice of filters that may be given; the others stand for all. */
export function filterCombinations(list: CountedList): string[][] {
  const found: string[][] = [[]]
  for (const column of Object.keys(list.filters)) found.push(...found.map((it) => [...it, column]))
  return found
}

/** The counters' key, in order. */
export const counterKey = (list: CountedList): string[] => [
  'account_id',
  ...Object.keys(list.filters),
  'level',
  'bucket',
  'shard',
]

/** The value that stands for all, as SQL. */
export const wildcardSql = (list: CountedList, column: string): string => (list.filters[column] === '' ? "''" : '0')
