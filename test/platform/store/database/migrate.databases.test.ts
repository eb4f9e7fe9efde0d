import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { earlierErrors, listSteps, resetStep, startStep } from '../../../../src/platform/store/automations/run-steps.ts'
import { listConversations } from '../../../../src/platform/store/conversations/conversations.ts'
import { conversationList, countWrongCounters } from '../../../../src/platform/store/counters/counted-lists.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Database, Migration, Query } from '../../../../src/platform/store/database/connection.ts'
import { migrate, requireKnownSchema } from '../../../../src/platform/store/database/migrate.ts'
import { openStore, type StoreTarget } from '../../../../src/platform/store/database/open-store.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { schemaVersion } from '../../../../src/platform/store/migrations/index.ts'
import { oldestCompatibleSchema } from '../../../../src/platform/store/migrations/releases.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres, opened, sqlite } from '../../../support/databases.ts'

const latest = migrations.length

const next: Migration = {
  version: latest + 1,
  name: 'next',
  up: ['create table later (id {{pk}}, note text not null) {{strict}}', 'alter table account add column note text'],
}

/** Opens without looking at the schema. */
async function bare(target: StoreTarget): Promise<Database> {
  const database = 'url' in target ? await openPostgres(target.url) : await openSqlite(target.file)
  afterFile(() => database.close())
  return database
}

const version = async (query: Query): Promise<string | undefined> =>
  (await query.selectFrom('meta').select('value').where('key', '=', 'schema_version').executeTakeFirst())?.value

const addAccount = (query: Query): Promise<unknown> =>
  query
    .insertInto('account')
    .values({
      name: 'Old',
      email: 'o@example.com',
      kind: 'tenant',
      balance: 1,
      minute_rate: 0,
      payment_method: null,
      created_at: 1,
    })
    .execute()

/** Removes every table. A new database of a server comes with the schema of this version. */
async function emptied(database: Database): Promise<void> {
  for (const statement of ['drop schema public cascade', 'create schema public'])
    await database.runExclusively((query) => sql.raw(statement).execute(query))
}

const backups = (target: StoreTarget): string[] =>
  'file' in target ? readdirSync(dirname(target.file)).filter((it) => it.includes('.bak')) : []

describe.each(databases)('the schema on $name', ({ unmade }) => {
  test('has every table of this version once opened, and opening again changes nothing', async () => {
    const where = await unmade()
    const first = await opened(where)
    expect(await version(first.read)).toBe(String(latest))
    await first.write('rows', addAccount)
    const second = await opened(where)
    expect(await second.read.selectFrom('account').select('name').execute()).toMatchObject([{ name: 'Old' }])
    expect(backups(where)).toEqual([])
  })

  test('of an older version is migrated with its data', async () => {
    const where = await unmade()
    const connection = await opened(where)
    await connection.write('rows', addAccount)
    await migrate(await bare(where), { steps: [...migrations, next] })
    expect(await version(connection.read)).toBe(String(latest + 1))
    const { rows } = await sql`select name, note from account`.execute(connection.read)
    expect(rows).toMatchObject([{ name: 'Old', note: null }])
  })

  onOnePostgres('earlier schemas are not distributed')(
    'counts conversations from before the counter existed',
    async () => {
      const where = await unmade()
      const old = await bare(where)
      if (old.dialect === 'postgres') await emptied(old)
      await migrate(old, { steps: migrations.slice(0, 3) })
      await old.runExclusively(async (query) => {
        await addAccount(query)
        await sql`insert into assistant (account_id, uuid, name, type, mode, status, settings, created_at, updated_at) values (1, 'a', 'Desk', 'inbound', 'pipeline', 'active', '{}', 1, 1)`.execute(
          query,
        )
        for (const [uuid, type] of [
          ['x', 'widget'],
          ['y', 'test'],
        ])
          await sql`insert into conversation (account_id, uuid, assistant_id, type, status, variables, message_count, total_cost, ai_enabled, created_at, updated_at)
          values (1, ${uuid}, 1, ${type}, 'open', '{}', 0, 0, 1, 1, 1)`.execute(query)
      })
      const { read } = await opened(where)
      expect(await countWrongCounters(read, conversationList)).toBe(0)
      expect(
        await listConversations(accountQuery(read, 1), { account: 1, filters: { type: 'test' }, offset: 0, limit: 15 }),
      ).toMatchObject({
        total: 1,
        rows: [{ uuid: 'y', assistant_name: 'Desk' }],
      })
    },
  )

  onOnePostgres('earlier schemas are not distributed')(
    'takes runs from before earlier errors were stored',
    async () => {
      const where = await unmade()
      const old = await bare(where)
      if (old.dialect === 'postgres') await emptied(old)
      await migrate(old, { steps: migrations.slice(0, 17) })
      await old.runExclusively(async (query) => {
        await addAccount(query)
        await sql`insert into automation (id, account_id, name, status, created_at, updated_at) values ('a', 1, 'A', 'enabled', 1, 1)`.execute(
          query,
        )
        await sql`insert into automation_version (id, account_id, automation_id, definition, hash, trigger_kind, connections, created_at) values ('v', 1, 'a', '{}', 'h', 'webhook', '[]', 1)`.execute(
          query,
        )
        await sql`insert into automation_run (id, account_id, automation_id, version_id, testing, status, payload, claims, held, mark, stalls, round, active, created_at) values ('r', 1, 'a', 'v', 0, 'FAILED', '{}', 1, 0, 0, 0, 1, 1, 1)`.execute(
          query,
        )
        await sql`insert into automation_step (run, path, account_id, name, position, status, attempt, failures, error, started_at, finished_at) values (1, 'step_1', 1, 'step_1', 1, 'FAILED', 1, 1, '503', 1, 7)`.execute(
          query,
        )
      })
      const connection = await opened(where)
      const [before] = await listSteps(accountQuery(connection.read, 1), 1)
      expect(before).toMatchObject({ error: '503', earlier_errors: null })
      await connection.write('rows', (query) => resetStep(accountQuery(query, 1), 1, 'step_1', 0))
      await connection.write('rows', (query) => sql`update automation_run set held = 1`.execute(query))
      await connection.write('rows', (query) =>
        startStep(
          accountQuery(query, 1),
          { number: 1, claims: 1 },
          { account: 1, path: 'step_1', name: 'step_1', position: 1, now: 9 },
        ),
      )
      const [after] = await listSteps(accountQuery(connection.read, 1), 1)
      expect(after && earlierErrors(after)).toEqual([{ attempt: 1, failedAt: 7, error: '503' }])
    },
  )

  test('is unchanged if a step fails', async () => {
    const where = await unmade()
    const connection = await opened(where)
    const broken: Migration = { ...next, up: [...next.up, 'create table account (id {{pk}})'] }
    await expect(migrate(await bare(where), { steps: [...migrations, broken] })).rejects.toThrow()
    expect(await version(connection.read)).toBe(String(latest))
    await expect(sql`select note from account`.execute(connection.read)).rejects.toThrow()
  })

  test('is migrated once by several concurrent processes', async () => {
    const where = await unmade()
    await opened(where)
    const starting = await Promise.all(Array.from({ length: 5 }, () => bare(where)))
    await Promise.all(starting.map((it) => migrate(it, { steps: [...migrations, next] })))
    expect(await Promise.all(starting.map((it) => version(it.read)))).toEqual(Array(5).fill(String(latest + 1)))
  })

  test('of another program is not changed', async () => {
    const where = await unmade()
    const database = await bare(where)
    if ('url' in where) {
      // The copied database is ours: make it look like another's.
      await sql`drop table meta`.execute(database.read)
    } else await database.write('rows', (query) => sql`create table account (id integer)`.execute(query))
    await expect(openStore(where)).rejects.toMatchObject({
      reason: 'unopenable',
      message: expect.stringMatching(/has a table "\w+" that Parley did not create/),
    })
  })
})

/** Brings a database to the schema of a later release, as that release would. */
const upgrade = async (where: StoreTarget, additions: number, version: string) => {
  const later = Array.from({ length: additions }, (_, n) => ({
    version: latest + n + 1,
    name: `later ${n}`,
    up: [`create table later_${n} (id {{pk}}) {{strict}}`],
  }))
  await migrate(await bare(where), { steps: [...migrations, ...later], version })
}

describe('a file of a newer version', () => {
  test('is refused with both versions and the fix, and not changed', async () => {
    const where = (await sqlite.unmade()) as { file: string }
    await (await openStore(where, { version: '0.2.0' })).close()
    await upgrade(where, 1, '0.3.0')
    await expect(openStore(where, { version: '0.2.0' })).rejects.toMatchObject({
      reason: 'newer',
      message: `${where.file} was created by a newer version of Parley (0.3.0, schema ${latest + 1}). This is 0.2.0, schema ${latest}. Upgrade Parley to 0.3.0 or later, or choose another database.`,
    })
    expect(await version((await bare(where)).read)).toBe(String(latest + 1))
  })

  test('that does not say its version is refused by its schema', async () => {
    const where = await sqlite.unmade()
    await (await opened(where)).write('rows', (query) =>
      sql`update meta set value = ${String(latest + 1)} where key = 'schema_version'`.execute(query),
    )
    await expect(openStore(where)).rejects.toThrow(
      `was created by a newer version of Parley (schema ${latest + 1}). This is a version with schema ${latest}. Upgrade Parley, or choose another database.`,
    )
  })
})

describe.each(databases.filter(({ name }) => name === 'postgres'))(
  'a $name database of a newer version',
  ({ unmade }) => {
    test('is opened and written by the version directly before, which does not change the schema', async () => {
      const where = await unmade()
      await upgrade(where, 1, '9.0.0')
      for (const _ of ['first start', 'restart']) {
        const connection = await openStore(where, { version: '0.2.0' })
        await connection.write('rows', addAccount)
        expect(await version(connection.read)).toBe(String(latest + 1))
        await connection.close()
      }
    })

    test('cannot be erased by the previous version, which does not know all of its tables', async () => {
      const where = await unmade()
      await upgrade(where, 1, '9.0.0')
      const { read } = await opened(where)
      await expect(requireKnownSchema(read, 'db')).rejects.toMatchObject({ reason: 'newer' })
    })

    test('refuses an older version than the one before, with both versions and the fix', async () => {
      const where = await unmade()
      const database = await bare(where)
      await migrate(database, { version: '9.0.0' })
      // What the release after 9.0.0 stores, whose predecessor has this schema.
      await upgrade(where, 2, '9.1.0')
      await database.write('rows', (query) =>
        sql`update meta set value = ${String(latest + 1)} where key = 'schema_oldest'`.execute(query),
      )
      await expect(openStore(where, { version: '0.2.0' })).rejects.toMatchObject({
        reason: 'newer',
        message: expect.stringContaining(
          `was created by a newer version of Parley (9.1.0, schema ${latest + 2}). This is 0.2.0, schema ${latest}. Upgrade Parley to 9.1.0 or later`,
        ),
      })
    })
  },
)

describe.each(databases.filter(({ name }) => name === 'postgres'))('a $name database', ({ unmade }) => {
  test('is not opened while its tables are being spread over nodes', async () => {
    const where = await unmade()
    const database = await bare(where)
    await migrate(database)
    const store = (value: string) =>
      database.write('rows', (query) =>
        sql`insert into meta (key, value) values ('distribution', ${value})
          on conflict (key) do update set value = excluded.value`.execute(query),
      )
    await store('{"shards":4,"is_complete":false}')
    await expect(openStore(where)).rejects.toMatchObject({
      reason: 'unopenable',
      message: expect.stringContaining('To continue that: parley server database distribute.'),
    })
    // An upgrade of the schema that had read the database before.
    const stale = { ...database, read: (await opened(await unmade())).read }
    await expect(migrate(stale, { steps: [...migrations, next] })).rejects.toMatchObject({
      reason: 'unopenable',
    })
    await store('{"shards":4,"is_complete":true}')
    await (await openStore(where)).close()
  })
})

test('the release directly before is the oldest that may use a database, also where the schema did not change', () => {
  const known = [
    { version: '0.1.0', schema: 9 },
    { version: '0.2.0', schema: 18 },
    { version: '0.3.0', schema: 18 },
  ]
  expect(oldestCompatibleSchema('0.2.0', 18, known)).toBe(9)
  expect(oldestCompatibleSchema('0.3.0', 18, known)).toBe(18)
  // Builds between releases have the version of the last one.
  expect(oldestCompatibleSchema('0.3.0', 19, known)).toBe(18)
  expect(oldestCompatibleSchema(undefined, 18, known)).toBe(18)
})

test('a file with data is copied before its schema changes', async () => {
  const where = (await sqlite.unmade()) as { file: string }
  const connection = await opened(where)
  await connection.write('rows', addAccount)
  await migrate(await bare(where), { steps: [...migrations, next] })
  const copy = `${where.file}.v${latest}.bak`
  expect(backups(where)).toHaveLength(1)
  const saved = await opened({ file: copy })
  expect(await version(saved.read)).toBe(String(latest))
  expect(await saved.read.selectFrom('account').select('name').execute()).toMatchObject([{ name: 'Old' }])
})

test('a file without data is not copied', async () => {
  const where = (await sqlite.unmade()) as { file: string }
  await opened(where)
  await migrate(await bare(where), { steps: [...migrations, next] })
  expect(existsSync(`${where.file}.v${latest}.bak`)).toBe(false)
})

test('the versions of the migrations are 1, 2, 3 and so on, up to that of the schema', () => {
  expect(migrations.map((it) => it.version)).toEqual(Array.from({ length: schemaVersion }, (_, n) => n + 1))
})
