import { stringifyJson } from '../../node/json.ts'
import {
  quoted,
  quotedList,
  type TableShape,
  type TransferRow,
  type TransferSide,
  type Value,
} from './transfer-side.ts'

/** Rows of a page at first, at most, and characters of text that a page should have. */
const pageRows = { first: 500, max: 4000 }
const pageLength = 4_000_000

/** Keys in `meta` that identify one PostgreSQL database and hold the secrets of its servers. */
const ownMetaKeys: readonly Value[] = ['database_id', 'key_check', 'credentials']

/** Yields the rows of a table in pages, in the order of its primary key. Rejects with StoreError. */
export async function* readPages(side: TransferSide, table: TableShape): AsyncGenerator<readonly TransferRow[]> {
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
