// Copies all rows from one database to another, and compares them: for `parley server migrate`. Rows of `meta` that belong to one
// database are not copied. The migration with --switch writes them in the target (`shareSecrets` of control/transfer/data-transfer.ts),
// otherwise the first folder that joins it does (`joinDatabase` of control/data-folder/shared-secrets.ts).

import { createHash } from 'node:crypto'
import { stringifyJson } from '../../../node/json.ts'
import { idLimit } from '../counters/counted-list.ts'
import type { Dialect } from '../database/connection.ts'
import { oldestSchemaKey } from '../database/migrate.ts'
import { StoreError } from '../database/store-error.ts'
import { distributionKey } from '../database/unfinished-distribution.ts'

/** Values of columns, the same on both databases. */
export type Value = string | number | null
export type TransferRow = Readonly<Record<string, Value>>

/** What a transfer must know of a table. */
export interface TableShape {
  readonly name: string
  /** Sorted by name, so that both databases have the same order. */
  readonly columns: readonly string[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
  /** Other tables that its rows refer to. */
  readonly parents: readonly string[]
  /** Column that the database numbers. */
  readonly identity: string | undefined
}

/** Source or target of a transfer: a database in one transaction, in which no other process changes the tables. */
export interface TransferSide {
  readonly dialect: Dialect
  /** The file, or host and name of the database, for messages. */
  readonly location: string
  /** Runs a statement with the parameters `?1`, `?2` and so on. Rejects with StoreError. */
  query(statement: string, parameters?: readonly Value[]): Promise<readonly TransferRow[]>
  /** Returns those of the tables that exist. */
  describeTables(names: readonly string[]): Promise<TableShape[]>
  /** Lets no other process change the tables until the end. */
  lock(tables: readonly TableShape[]): Promise<void>
  insert(table: TableShape, rows: readonly TransferRow[]): Promise<void>
  /** Runs `body` while rows are inserted without running triggers. */
  withoutTriggers<T>(tables: readonly TableShape[], body: () => Promise<T>): Promise<T>
  /** Returns the last number that the database gave to the identity column of a table; 0 if none. */
  readSequence(table: TableShape): Promise<number>
  writeSequence(table: TableShape, last: number): Promise<void>
}

/** Quotes an identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes identifiers, separated by commas. */
export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

/** Rows of a page at first, at most, and characters of text that a page should have. */
const pageRows = { first: 500, max: 4000 }
const pageLength = 4_000_000

/** Keys in `meta` of one PostgreSQL database: its identity, the secrets of its servers, who may use it, and how it is spread over nodes. */
const ownMetaKeys: readonly Value[] = ['database_id', 'key_check', 'credentials', oldestSchemaKey, distributionKey]

/** Yields the rows of a table in pages, in the order of its primary key. Rejects with StoreError. */
async function* readPages(side: TransferSide, table: TableShape): AsyncGenerator<readonly TransferRow[]> {
  const keys = quotedList(table.key)
  const select = `select ${quotedList(table.columns)} from ${quoted(table.name)}`
  const after = `where (${keys}) > (${table.key.map((_, n) => `?${n + 1}`).join(', ')})`
  let limit = pageRows.first
  for (let last: TransferRow | undefined; ; ) {
    const parameters = last ? table.key.map((it) => last?.[it] ?? null) : []
    const rows = await side.query(`${select} ${last ? after : ''} order by ${keys} limit ${limit}`, parameters)
    yield table.name === 'meta' ? rows.filter((it) => !ownMetaKeys.includes(it.key ?? null)) : rows
    if (rows.length < limit) return
    last = rows.at(-1)
    limit = Math.max(1, Math.min(pageRows.max, Math.floor((limit * pageLength) / lengthOf(rows))))
  }
}

/** Returns the number of characters of a page, estimated from some of its rows. */
function lengthOf(rows: readonly TransferRow[]): number {
  const some = rows.filter((_, n) => n % 10 === 0)
  return 1 + (stringifyJson(some).length * rows.length) / some.length
}

/** Number of rows and a hash of their content that does not depend on their order. */
interface TableContent {
  readonly table: string
  readonly rows: number
  readonly hash: string
}

/** Computes the content of a table from its rows: the sum of the hashes of all rows, in eight words of 32 bits. */
class TableDigest {
  readonly #table: TableShape
  readonly #sums = new Uint32Array(8)
  #rows = 0

  constructor(table: TableShape) {
    this.#table = table
  }

  /** Adds a row. Throws StoreError for a value that the other database could not store exactly. */
  add(row: TransferRow): void {
    const { name, columns, identity } = this.#table
    if (identity) requireId(name, Number(row[identity]))
    const values = columns.map((it) => row[it] ?? null)
    values.forEach((value, n) => {
      if (value === null || typeof value === 'string' || Number.isSafeInteger(value)) return
      throw new StoreError('other', `The value ${String(value)} of ${name}.${columns[n]} cannot be copied exactly.`)
    })
    const hash = createHash('sha256').update(stringifyJson(values)).digest()
    for (let n = 0; n < 8; n++) this.#sums[n] = (this.#sums[n] as number) + hash.readUInt32LE(4 * n)
    this.#rows++
  }

  get content(): TableContent {
    return { table: this.#table.name, rows: this.#rows, hash: Buffer.from(this.#sums.buffer).toString('hex') }
  }
}

/** PostgreSQL checks this itself; SQLite takes any id. */
function requireId(table: string, id: number): void {
  if (id >= idLimit)
    throw new StoreError('other', `The id ${id} of ${table} cannot be stored: ids are below ${idLimit}.`)
}

/** Tables about the processes of one database, which are not copied. A new table with rows of a server belongs here. */
const ownTables: readonly string[] = ['account_commit', 'commit_marker', 'server_node']

/** Tables that have rows in a new database. */
const filledTables: readonly string[] = ['meta', 'clock']

/** Called with the number of rows that were read from a table so far. */
type OnRows = (table: string, rows: number) => void

/**
 * Returns the tables to copy, each after those that it refers to. Rejects with StoreError if a table or column is
 * missing in one of the databases.
 */
export async function matchTables(
  source: TransferSide,
  target: TransferSide,
  names: readonly string[],
): Promise<TableShape[]> {
  const copied = names.filter((it) => !ownTables.includes(it))
  const [from, to] = [await source.describeTables(copied), await target.describeTables(copied)]
  for (const name of copied) {
    const [a, b] = [from, to].map((it) => it.find((table) => table.name === name))
    if (a?.columns.join() !== b?.columns.join() || ownKey(a) !== ownKey(b) || !a)
      throw new StoreError('other', `The table "${name}" differs between ${source.location} and ${target.location}.`)
  }
  return sortByParents(to)
}

/** Returns the columns of a primary key without the account: on shards, each key begins with it. */
const ownKey = (table: TableShape | undefined): string | undefined =>
  table?.key.filter((it) => it !== 'account_id').join()

function sortByParents(tables: readonly TableShape[]): TableShape[] {
  const sorted: TableShape[] = []
  const visit = (table: TableShape): void => {
    if (sorted.includes(table)) return
    for (const parent of tables) if (table.parents.includes(parent.name)) visit(parent)
    sorted.push(table)
  }
  for (const table of tables) visit(table)
  return sorted
}

/** Returns the first table with rows that a new database does not have. */
export async function findFilledTable(side: TransferSide, tables: readonly TableShape[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if (filledTables.includes(name)) continue
    if ((await side.query(`select 1 as found from ${quoted(name)} limit 1`)).length > 0) return name
  }
  return undefined
}

/**
 * Replaces the rows of the target, in its transaction, and continues its numbering of new rows. Returns what was read
 * from the source. Rejects with StoreError.
 */
export async function copyRows(
  source: TransferSide,
  target: TransferSide,
  tables: readonly TableShape[],
  onRows: OnRows,
): Promise<TableContent[]> {
  return target.withoutTriggers(tables, async () => {
    // The identity and the secrets of the target are deleted too, because its rows are of another platform now. The oldest
    // schema and the distribution are about the target itself, and stay.
    for (const { name } of tables.toReversed())
      await (name === 'meta'
        ? target.query('delete from meta where key not in (?1, ?2)', [oldestSchemaKey, distributionKey])
        : target.query(`delete from ${quoted(name)}`))
    const read: TableContent[] = []
    for (const table of tables) {
      read.push(
        await digestTable(source, table, onRows, (rows) => (rows.length > 0 ? target.insert(table, rows) : undefined)),
      )
      if (!table.identity) continue
      const last = await lastNumber(source, table)
      requireId(table.name, last)
      await target.writeSequence(table, last)
    }
    return read
  })
}

/** Returns the content of tables. Rejects with StoreError. */
export async function digestTables(
  side: TransferSide,
  tables: readonly TableShape[],
  onRows: OnRows,
): Promise<TableContent[]> {
  const found: TableContent[] = []
  for (const table of tables) found.push(await digestTable(side, table, onRows, () => undefined))
  return found
}

async function digestTable(
  side: TransferSide,
  table: TableShape,
  onRows: OnRows,
  onPage: (rows: Parameters<TransferSide['insert']>[1]) => Promise<void> | undefined,
): Promise<TableContent> {
  const digest = new TableDigest(table)
  // Each database reads in the order of its own key.
  const [own = table] = await side.describeTables([table.name])
  for await (const rows of readPages(side, own)) {
    for (const row of rows) digest.add(row)
    await onPage(rows)
    onRows(table.name, digest.content.rows)
  }
  return digest.content
}

/** Returns the last number that a table has used, also for rows that were deleted. */
async function lastNumber(side: TransferSide, table: TableShape): Promise<number> {
  const [row] = await side.query(`select max(${quoted(String(table.identity))}) as last from ${quoted(table.name)}`)
  return Math.max(await side.readSequence(table), Number(row?.last ?? 0))
}

/** Returns the names of the tables whose content differs, or whose next number is lower in the target. */
export async function findDifferences(
  source: TransferSide,
  target: TransferSide,
  tables: readonly TableShape[],
  [before, after]: readonly [source: readonly TableContent[], target: readonly TableContent[]],
): Promise<string[]> {
  const differing: string[] = []
  for (const [n, table] of tables.entries()) {
    const hasNumbers = !table.identity || (await lastNumber(target, table)) >= (await lastNumber(source, table))
    const isSame = before[n]?.rows === after[n]?.rows && before[n]?.hash === after[n]?.hash
    if (!isSame || !hasNumbers) differing.push(table.name)
  }
  return differing
}
