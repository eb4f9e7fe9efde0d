import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Migration, OnlineStatement, PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import type { StoreTarget } from '../../../../src/platform/store/database/open-store.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres, opened, sqlite } from '../../../support/databases.ts'

const latest = migrations.length

/** Returns the statements whose result is not in the catalog yet. None of them can run twice. */
async function findMissing(query: PlatformQuery): Promise<readonly OnlineStatement[]> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index where indisvalid and indrelid = 'account'::regclass
    union all select conname::text from pg_constraint where conrelid = 'account'::regclass
      and (convalidated or conname <> 'account_later_check')
    union all select conname || ' added' from pg_constraint where conrelid = 'account'::regclass
    union all select indexrelid::regclass::text || ' invalid' from pg_index where not indisvalid and indrelid = 'account'::regclass`.execute(
    query,
  )
  const has = (name: string): boolean => rows.some((it) => it.name === name)
  return [
    ...(has('account_later invalid') ? [{ sql: 'drop index concurrently account_later', isBlocking: false }] : []),
    ...(has('account_later')
      ? []
      : [{ sql: 'create unique index concurrently account_later on account (id, name)', isBlocking: false }]),
    ...(has('account_later_check added')
      ? []
      : [
          {
            sql: 'alter table account add constraint account_later_check check (balance > -100) not valid',
            isBlocking: true,
          },
        ]),
    ...(has('account_later_check')
      ? []
      : [{ sql: 'alter table account validate constraint account_later_check', isBlocking: false }]),
  ]
}

const online: Migration = {
  version: latest + 1,
  name: 'online',
  online: findMissing,
  up: ['create table later (id {{pk}}) {{strict}}'],
}
const steps = [...migrations, online]

/** Brings a database to the later version, as one server would. */
async function upgrade(where: StoreTarget, onLooked: () => void = () => {}, isPooled = false): Promise<void> {
  const database = await openPostgres((where as { url: string }).url, { isPooled })
  afterFile(() => database.close())
  const runExclusively: typeof database.runExclusively = async (body) => {
    const value = await database.runExclusively(body)
    onLooked()
    return value
  }
  await migrate({ ...database, runExclusively }, { steps })
}

const later = async (query: PlatformQuery): Promise<readonly string[]> =>
  (
    await sql<{ name: string }>`
      select c.relname || case when i.indisvalid is false then ' invalid' else '' end as name
      from pg_class c left join pg_index i on i.indexrelid = c.oid where c.relname in ('later', 'account_later')
      union all select conname || case when convalidated then '' else ' invalid' end from pg_constraint
        where conname = 'account_later_check'
      union all select key || ' ' || value from meta where key = 'schema_version'
      order by 1`.execute(query)
  ).rows.map((it) => it.name)

const upgraded = ['account_later', 'account_later_check', 'later', `schema_version ${latest + 1}`]

/** A session of its own, as one of another server. */
async function session(where: StoreTarget): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: (where as { url: string }).url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const addAccount = `insert into account (name, email, kind, balance, minute_rate, created_at)
  values ('A', 'a@example.com', 'tenant', 1, 0, 1)`

const progress = async (query: PlatformQuery) => {
  const row = await query.selectFrom('meta').select('value').where('key', '=', 'schema_progress').executeTakeFirst()
  return row && JSON.parse(row.value)
}

describe.each(databases.filter(({ name }) => name === 'postgres'))(
  'steps outside a transaction on $name',
  ({ unmade }) => {
    onOnePostgres('Citus locks the table on the coordinator while it builds an index')(
      'let other servers write while they wait, and say what they do',
      async () => {
        const where = await unmade()
        const { read } = await opened(where)
        const [holder, writer] = [await session(where), await session(where)]
        await writer.query(addAccount)
        await holder.query('begin')
        await holder.query('update account set balance = 2')
        const upgrading = upgrade(where)
        const isWaiting = async () =>
          (
            await writer.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'create unique%'",
            )
          ).rowCount
        await expect.poll(isWaiting).toBe(1)
        // A lock that writers wait for would be one of these. In copies of one template the table has the same number.
        const { rows: locks } = await writer.query(
          `select mode from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where relation = 'account'::regclass and pid <> pg_backend_pid()
        and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
        )
        expect(locks).toEqual([])
        await writer.query("set lock_timeout = '500ms'")
        await writer.query(addAccount)
        expect(await progress(read)).toMatchObject({ statement: expect.stringContaining('account_later'), left: 2 })
        expect(await later(read)).toEqual(['account_later invalid', `schema_version ${latest}`])
        await holder.query('commit')
        await upgrading
        expect(await later(read)).toEqual(upgraded)
        expect(await progress(read)).toBeUndefined()
      },
    )

    test('that need a table for themselves give it up again while another transaction uses it', async () => {
      const where = await unmade()
      const { read } = await opened(where)
      const [holder, writer] = [await session(where), await session(where)]
      await holder.query('create unique index account_later on account (id, name)')
      await holder.query('begin')
      await holder.query('select * from account')
      const upgrading = upgrade(where)
      const isWaiting = async () =>
        (
          await writer.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%account_later_check%'",
          )
        ).rowCount
      await expect.poll(isWaiting).toBe(1)
      // Waits behind the change of the schema, for a second at most.
      await writer.query("set lock_timeout = '3s'")
      await writer.query(addAccount)
      expect(await later(read)).toEqual(['account_later', `schema_version ${latest}`])
      await holder.query('commit')
      await upgrading
      expect(await later(read)).toEqual(upgraded)
    })

    test('are done once by several processes that start together', async () => {
      const where = await unmade()
      const { read } = await opened(where)
      await Promise.all(Array.from({ length: 4 }, () => upgrade(where)))
      expect(await later(read)).toEqual(upgraded)
    })

    onOnePostgres('Citus leaves no index whose build was interrupted')(
      'continue with what a process that was killed has not done',
      async () => {
        const where = await unmade()
        const { read } = await opened(where)
        const [holder, other] = [await session(where), await session(where)]
        await holder.query(addAccount)
        await holder.query('begin')
        await holder.query('update account set balance = 2')
        const interrupted = upgrade(where).catch((error: Error) => error)
        const stop = async () =>
          (
            await other.query(
              "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'create unique%'",
            )
          ).rowCount
        await expect.poll(stop).toBe(1)
        expect(await interrupted).toMatchObject({ reason: 'unreachable' })
        await holder.query('commit')
        expect(await later(read)).toEqual(['account_later invalid', `schema_version ${latest}`])
        await other.query(
          'update meta set value = replace(value, \'"until":\', \'"until":0,"was":\') where key = \'schema_progress\'',
        )
        await upgrade(where)
        expect(await later(read)).toEqual(upgraded)
      },
    )

    test('need no settings of a connection, which a pooler refuses', async () => {
      const where = await unmade()
      const { read } = await opened(where)
      await upgrade(where, () => {}, true)
      expect(await later(read)).toEqual(upgraded)
    })

    test('wait for the process that does them, until it has not been heard of for a while', async () => {
      const where = await unmade()
      const { read } = await opened(where)
      const other = await session(where)
      const turn = (until: number): string => `{"server":"other","until":${until},"statement":"create index","left":1}`
      await other.query("insert into meta (key, value) values ('schema_progress', $1)", [turn(Date.now() + 3_600_000)])
      let looked = 0
      const upgrading = upgrade(where, () => looked++)
      await expect.poll(() => looked, { timeout: 10_000 }).toBe(2)
      expect(await later(read)).toEqual([`schema_version ${latest}`])
      await other.query("update meta set value = $1 where key = 'schema_progress'", [turn(1)])
      await upgrading
      expect(await later(read)).toEqual(upgraded)
    })

    test('that the rows contradict are refused with the row', async () => {
      const where = await unmade()
      const { read } = await opened(where)
      await (await session(where)).query(addAccount.replace("'tenant', 1", "'tenant', -100"))
      // On Citus, the message has the number of the shard.
      await expect(upgrade(where)).rejects.toThrow(
        /check constraint "account_later_check(?:_\d+)?" of relation "account(?:_\d+)?" is violated by some row\. The statement was: alter table account validate constraint account_later_check\. Correct the rows, then try again\.$/,
      )
      expect(await later(read)).toEqual(['account_later', 'account_later_check invalid', `schema_version ${latest}`])
    })
  },
)

test('a file is migrated in its transaction, without these steps', async () => {
  const where = (await sqlite.unmade()) as { file: string }
  const { read } = await opened(where)
  const database = await openSqlite(where.file)
  afterFile(() => database.close())
  await migrate(database, { steps })
  expect((await sql`select * from later`.execute(read)).rows).toEqual([])
})
