import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { accountTables } from '../../../../src/platform/store/database/account-tables.ts'
import type { Database, PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import type { StoreTarget } from '../../../../src/platform/store/database/open-store.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { releases } from '../../../../src/platform/store/migrations/releases.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres, opened, sqlite } from '../../../support/databases.ts'

/** Version of the schema before the keys. */
const before = 20

interface UniqueIndex {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly condition: string | null
}

/** Returns the valid unique indexes of a database, with their columns in order. */
async function uniqueIndexes(query: PlatformQuery): Promise<readonly UniqueIndex[]> {
  const { rows } = await sql<{ name: string; table: string; columns: string; condition: string | null }>`
    select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table,
      (select string_agg(pg_get_indexdef(i.indexrelid, n, true), ',' order by n) from generate_series(1, i.indnatts) n) as columns,
      pg_get_expr(i.indpred, i.indrelid) as condition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indisunique and i.indisvalid order by 1`.execute(query)
  return rows.map((it) => ({ ...it, columns: it.columns.split(',') }))
}

const accountOf = (table: string): string => (table === 'account' ? 'id' : 'account_id')

/** Returns the unique indexes of tables of accounts for which there is none with the account in front. */
async function withoutAccount(query: PlatformQuery): Promise<readonly string[]> {
  const all = (await uniqueIndexes(query)).filter((it) => accountTables.includes(it.table))
  return all
    .filter((index) => {
      const account = accountOf(index.table)
      const wanted = index.columns.includes(account) ? index.columns : [account, ...index.columns]
      const isWanted = (other: UniqueIndex): boolean =>
        other.table === index.table &&
        other.columns[0] === account &&
        other.columns.join() === wanted.join() &&
        other.condition === index.condition
      return !all.some(isWanted)
    })
    .map((it) => it.name)
}

/** Returns the foreign keys between tables of accounts whose columns lack the account here or there, or which were not validated. */
async function foreignKeysWithoutAccount(query: PlatformQuery): Promise<readonly string[]> {
  const { rows } = await sql<{
    name: string
    child: string
    parent: string
    columns: string
    refs: string
    valid: boolean
  }>`
    select conname as name, conrelid::regclass::text as child, confrelid::regclass::text as parent, convalidated as valid,
      (select string_agg(attname, ',') from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns,
      (select string_agg(attname, ',') from pg_attribute where attrelid = confrelid and attnum = any(confkey)) as refs
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`.execute(query)
  return rows
    .filter((it) => accountTables.includes(it.child) && accountTables.includes(it.parent))
    .filter((key) => {
      const namesAccount =
        key.columns.split(',').includes(accountOf(key.child)) && key.refs.split(',').includes(accountOf(key.parent))
      return !key.valid || !namesAccount
    })
    .map((it) => it.name)
}

/** Everything of the catalog that the migration changes. */
async function catalog(query: PlatformQuery): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_indexdef(indexrelid) || indisvalid as text from pg_index join pg_class c on c.oid = indrelid
      where c.relnamespace = 'public'::regnamespace
    union all select conrelid::regclass || conname || pg_get_constraintdef(oid) || convalidated from pg_constraint
      where connamespace = 'public'::regnamespace
    order by 1`.execute(query)
  return rows.map((it) => it.text)
}

/** Returns an empty PostgreSQL database with the schema of an earlier version. */
async function earlier(where: StoreTarget, version: number): Promise<Database> {
  const database = await openPostgres((where as { url: string }).url)
  afterFile(() => database.close())
  for (const statement of ['drop schema public cascade', 'create schema public'])
    await database.runExclusively((query) => sql.raw(statement).execute(query))
  await migrate(database, { steps: migrations.slice(0, version) })
  return database
}

test('keys of accounts that statements name as the target of a conflict exist on SQLite, too', async () => {
  const { read } = await sqlite.fresh()
  const columnsOf = async (index: string) =>
    (await sql<{ name: string }>`select name from pragma_index_info(${index})`.execute(read)).rows.map((it) => it.name)
  expect(await columnsOf('event_slot_account')).toEqual(['account_id', 'assistant_id', 'event'])
  expect(await columnsOf('automation_step_account')).toEqual(['account_id', 'run', 'path'])
  expect(await columnsOf('automation_wait_account')).toEqual(['account_id', 'run', 'path'])
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('keys of accounts on $name', ({ fresh, unmade }) => {
  test('lead with the account, for each primary key and each unique index', async () => {
    const { read } = await fresh()
    expect(await withoutAccount(read)).toEqual([])
    const tables = new Set((await uniqueIndexes(read)).map((it) => it.table))
    expect(accountTables.filter((it) => !tables.has(it))).toEqual([])
  })

  test('are part of each foreign key between tables of accounts, in both tables', async () => {
    const { read } = await fresh()
    expect(await foreignKeysWithoutAccount(read)).toEqual([])
  })

  test('replace the indexes that have the same columns and are not unique', async () => {
    const { read } = await fresh()
    const { rows } = await sql<{ name: string }>`
      select i.indexrelid::regclass::text as name from pg_index i join pg_index u on u.indrelid = i.indrelid
      where not i.indisunique and u.indisunique and u.indpred is null and i.indpred is null and i.indexprs is null
        and u.indkey::text || ' ' like i.indkey::text || ' %'
        and i.indrelid::regclass::text = any(${accountTables}::text[])`.execute(read)
    expect(rows).toEqual([])
  })

  test('have ids below 2^36: a row with another id is refused', async () => {
    const { read } = await fresh()
    const add = (id: number) =>
      sql`insert into account (id, name, email, kind, balance, minute_rate, created_at)
        values (${id}, 'A', 'a@example.com', 'tenant', 1, 0, 1)`.execute(read)
    await add(2 ** 36 - 1)
    await expect(add(2 ** 36)).rejects.toThrow('account_id_limit')
    const { rows } = await sql<{ table: string }>`
      select attrelid::regclass::text as table from pg_attribute
      where attidentity <> '' and attrelid::regclass::text = any(${accountTables}::text[]) and not exists (
        select from pg_constraint where conrelid = attrelid and contype = 'c' and convalidated
          and pg_get_constraintdef(oid) = format('CHECK ((%I < ''68719476736''::bigint))', attname))`.execute(read)
    expect(rows).toEqual([])
  })

  onOnePostgres('earlier schemas are not distributed')('are missing in the schema before', async () => {
    const { read } = await earlier(await unmade(), before)
    expect(await withoutAccount(read)).toContain('lead_pkey')
    expect(await foreignKeysWithoutAccount(read)).toContain('lead_campaign_id_fkey')
  })

  onOnePostgres('earlier schemas are not distributed').each([...releases.map((it) => it.schema), before])(
    'are the same in a database that had schema %i',
    async (schema) => {
      const where = await unmade()
      const expected = await catalog((await fresh()).read)
      await earlier(where, schema)
      const { read } = await opened(where)
      expect(await catalog(read)).toEqual(expected)
    },
  )
})
