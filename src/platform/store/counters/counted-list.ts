/**
 * List that is read in pages, newest first, with filters and an exact total, at any size and depth. To add one:
 * describe it in counted-lists.ts. In the migration that creates its table, add `...countedSchema(list)` after the
 * table. Add `${table}_count` to Tables, as `CountTable` with its filters, and to erase-data.ts after the table. Read
 * it with `createPageReader(list)`. Triggers update the counters in the transaction of every change.
 * `countWrongCounters` compares them with the rows, and `rebuildCounters` rebuilds them.
 */
export interface CountedList {
  /** Table with the columns `id`, `account_id` and `created_at`. */
  readonly table: string
  /** Columns that are filtered by one value, each with a value that no row has and that represents all of them. */
  readonly filters: Readonly<Record<string, 0 | ''>>
  /** Additional columns of each row of a page: the join and the column list. The rows of an inner join must always exist. */
  readonly joined?: { readonly join: string; readonly columns: string }
}

/** Returns the name of the table with the counters of a list. Its triggers fill it. */
export const counterTable = ({ table }: CountedList): string => `${table}_count`

/** Table of counters. The key is the account, the filters, and these columns. */
export interface CountTable {
  account_id: number
  level: number
  bucket: number
  shard: number
  n: number
}

/**
 * Rows are ordered by the UTC day of their creation, and within a day by id. Both are combined in one integer position:
 * the day in the upper bits, the id in the lower 36 bits.
 * A range of days is therefore a range of positions, and a clock that is set back or frozen does not change the order.
 * Indexes, triggers and the limits of ids that released migrations created have these bits, so they never change.
 */
const positionIdBits = 36

/** Ids of rows are below it on every database. */
export const idLimit = 2 ** positionIdBits
const microsPerDay = 86_400_000_000

/**
 * Returns the position of a row as SQL. `row` is the name of the row with a dot, or empty. Indexes are created with
 * exactly this text.
 */
export const positionSql = (row = ''): string =>
  `(${row}created_at / ${microsPerDay} * ${2 ** positionIdBits} + ${row}id)`

/** Returns the first position of a day, counted from 1970. */
export const dayStartPosition = (day: number): number => day * 2 ** positionIdBits

/** Greater than every position. */
export const maxPosition = Number.MAX_SAFE_INTEGER

/**
 * Rows are counted in buckets of positions: 2048 ids of a day (level 0), 64 of those (level 1), and 32 days (level 2).
 * This way a search reads about sixty counters at each level, even if millions of rows were created on one day. The
 * bucket of a position is the position shifted by this many bits.
 */
export const bucketBits = [11, 17, positionIdBits + 5] as const
export const bucketSizes = [2 ** bucketBits[0], 2 ** bucketBits[1], 2 ** bucketBits[2]] as const

/** Returns every combination of filters that may be given. The others match all values. */
export function filterCombinations(list: CountedList): string[][] {
  const found: string[][] = [[]]
  for (const column of Object.keys(list.filters)) found.push(...found.map((it) => [...it, column]))
  return found
}

/** Returns the columns of the counters' key, in order. */
export const counterKey = (list: CountedList): string[] => [
  'account_id',
  ...Object.keys(list.filters),
  'level',
  'bucket',
  'shard',
]

/** Returns the value that represents all values of a filter column, as SQL. */
export const wildcardSql = (list: CountedList, column: string): string => (list.filters[column] === '' ? "''" : '0')
