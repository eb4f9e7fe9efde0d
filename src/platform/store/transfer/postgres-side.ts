import { CompiledQuery } from 'kysely'
import { stringifyJson } from '../../../node/json.ts'
import type { Database, Query } from '../database/connection.ts'
import { quoted, quotedList, type TableShape, type TransferRow, type TransferSide, type Value } from './copy-data.ts'

/** Milliseconds to wait until other connections have committed. */
const lockTimeoutMs = 15_000

/**
 * Runs `body` in a transaction on a PostgreSQL database. Its changes are committed when `body` resolves. Rejects with
 * StoreError.
 */
export const withPostgres = <T>(database: Database, body: (side: TransferSide) => Promise<T>): Promise<T> =>
  database.runExclusively(async (query) => {
    const isSharded = database.isSharded?.() === true
    const side = createSide(query, database.location, isSharded)
    // The connection waits while the other database is read or written.
    await side.query('set local idle_in_transaction_session_timeout = 0')
    await side.query(`set local lock_timeout = ${lockTimeoutMs}`)
    // Citus knows no triggers on shards, and would refuse to disable those that count rows.
    if (isSharded) await side.query('set local citus.enable_unsafe_triggers = on')
    return body(side)
  })

const shapesSql = `select c.relname as name, a.attname as col, a.attidentity <> '' as identity,
    (select k.n from unnest(i.indkey) with ordinality k (attnum, n) where k.attnum = a.attnum) as position
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`
const parentsSql = `select child.relname as name, parent.relname as parent
  from pg_constraint f join pg_class child on child.oid = f.conrelid join pg_class parent on parent.oid = f.confrelid
  where f.contype = 'f' and child.relnamespace = current_schema()::regnamespace`

function createSide(query: Query, location: string, isSharded: boolean): TransferSide {
  const all = async (statement: string, parameters: readonly Value[] = []): Promise<readonly TransferRow[]> => {
    const text = statement.replaceAll(/\?(\d+)/g, '$$$1')
    return (await query.executeQuery<TransferRow>(CompiledQuery.raw(text, [...parameters]))).rows
  }
  const sequenceOf = async ({ name, identity }: TableShape): Promise<string> => {
    const [row] = await all('select pg_get_serial_sequence(?1, ?2) as sequence', [quoted(name), identity ?? null])
    return String(row?.sequence)
  }

  return {
    dialect: 'postgres',
    location,
    query: all,
    async describeTables(names) {
      const columns = await all(shapesSql)
      const parents = await all(parentsSql)
      return names.flatMap((name): TableShape[] => {
        const own = columns.filter((it) => it.name === name)
        if (own.length === 0) return []
        const key = own.filter((it) => it.position !== null).sort((a, b) => Number(a.position) - Number(b.position))
        const numbered = own.find((it) => Boolean(it.identity))
        return [
          {
            name,
            columns: own.map((it) => String(it.col)).sort(),
            key: key.map((it) => String(it.col)),
            parents: parents.filter((it) => it.name === name && it.parent !== name).map((it) => String(it.parent)),
            identity: numbered && String(numbered.col),
          },
        ]
      })
    },
    async lock(tables) {
      await all(`lock table ${quotedList(tables.map((it) => it.name))} in share row exclusive mode`)
    },
    async insert({ name, columns }, rows) {
      const list = quotedList(columns)
      await all(
        `insert into ${quoted(name)} (${list}) select ${list} from json_populate_recordset(null::${quoted(name)}, ?1::json)`,
        [stringifyJson(rows)],
      )
    },
    async withoutTriggers(tables, body) {
      for (const { name } of tables) await all(`alter table ${quoted(name)} disable trigger user`)
      const value = await body()
      for (const { name } of tables) await all(`alter table ${quoted(name)} enable trigger user`)
      return value
    },
    async readSequence(table) {
      const [row] = await all(
        `select case when is_called then last_value else last_value - 1 end as last from ${await sequenceOf(table)}`,
      )
      return Number(row?.last ?? 0)
    },
    async writeSequence(table, last) {
      const { name, identity } = table
      // Citus refuses the statement that a rollback reverts. Numbers may be left out.
      if (isSharded) await all('select setval(?1, ?2, false)', [await sequenceOf(table), last + 1])
      else await all(`alter table ${quoted(name)} alter column ${quoted(String(identity))} restart with ${last + 1}`)
    },
  }
}
