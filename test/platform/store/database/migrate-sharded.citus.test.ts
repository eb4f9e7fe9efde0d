import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { accountTables } from '../../../../src/platform/store/database/account-tables.ts'
import type {
  Database,
  Migration,
  OnlineStatement,
  PlatformQuery,
} from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { referenceTables } from '../../../../src/platform/store/database/platform-tables.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { distribute } from '../../../../src/platform/store/postgres/distribution.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { undistributedUrl } from '../../../support/databases.ts'

// A later version of the schema, on a database whose tables are spread over nodes.

const latest = migrations.length

async function findMissing(query: PlatformQuery): Promise<readonly OnlineStatement[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where indisvalid
    union all select conname || case when convalidated then '' else ' added' end from pg_constraint`.execute(query)
  const has = (name: string): boolean => rows.some((it) => it.name === name)
  const check = 'lead_later_check'
  return [
    ...(has('lead_later')
      ? []
      : [{ sql: 'create unique index concurrently lead_later on lead (account_id, id, status)', isBlocking: false }]),
    ...(has(check) || has(`${check} added`)
      ? []
      : [{ sql: `alter table lead add constraint ${check} check (attempts >= 0) not valid`, isBlocking: true }]),
    ...(has(check) ? [] : [{ sql: `alter table lead validate constraint ${check}`, isBlocking: false }]),
  ]
}

const later: Migration = {
  version: latest + 1,
  name: 'later',
  online: findMissing,
  up: [
    'alter table campaign add column later {{bigint}} not null default 7',
    `create table later (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      campaign_id {{bigint}} not null,
      name text not null unique,
      foreign key (account_id, campaign_id) references campaign (account_id, id)
    ) {{strict}}`,
    'create unique index later_pkey_account on later (account_id, id)',
    'create unique index later_name_key_account on later (account_id, name)',
    `insert into later (account_id, campaign_id, name) select account_id, id, 'of ' || id from campaign`,
    'create table later_word (word text primary key) {{strict}}',
    `insert into later_word values ('one')`,
  ],
}

/** Refers to what the step before has created. */
const last: Migration = {
  version: latest + 2,
  name: 'last',
  up: [
    `create table last (
      account_id {{bigint}} not null,
      later_id {{bigint}} not null,
      primary key (account_id, later_id),
      foreign key (account_id, later_id) references later (account_id, id)
    ) {{strict}}`,
    'insert into last (account_id, later_id) select account_id, id from later',
  ],
}

const steps = [...migrations, later, last]
const tables = { accounts: [...accountTables, 'later', 'last'], references: [...referenceTables, 'later_word'] }

async function openAt(url: string): Promise<Database> {
  const database = await openPostgres(url)
  afterFile(() => database.close())
  return database
}

/** A database whose tables are spread over nodes, with two accounts that have a campaign. */
async function distributed(): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await undistributedUrl()
  const local = await openAt(url)
  await migrate(local)
  await distribute(local, { shards: 2, onStep: () => {} })
  const database = await openAt(url)
  await database.write('everything', async (query) => {
    await sql`insert into account (id, name, email, kind, balance, minute_rate, created_at)
      select n, 'Account ' || n, '', 'tenant', n, 0, 0 from generate_series(1, 2) n`.execute(query)
    await sql`insert into campaign (id, account_id, name, channel, status, settings, created_at, updated_at)
      select id, id, 'c', 'call', 'draft', '{}', 0, 0 from account`.execute(query)
  })
  return { url, database }
}

const places = async (query: PlatformQuery) =>
  (
    await sql<{ name: string; kind: string; colocated: boolean }>`
      select logicalrelid::text as name, partmethod::text as kind,
        colocationid = (select colocationid from pg_dist_partition where logicalrelid = 'account'::regclass) as colocated
      from pg_dist_partition where logicalrelid::text in ('later', 'last', 'later_word') order by 1`.execute(query)
  ).rows

describe.runIf(process.env.PARLEY_TEST_CITUS)('a later schema on a distributed database', () => {
  test('places new tables with those of their accounts, with keys, rows and copies', async () => {
    const { url, database } = await distributed()
    await migrate(database, { steps, tables })
    expect(await places(database.read)).toEqual([
      { name: 'last', kind: 'h', colocated: true },
      { name: 'later', kind: 'h', colocated: true },
      { name: 'later_word', kind: 'n', colocated: false },
    ])
    const { read } = await openAt(url)
    const rows = async (statement: string) =>
      (await sql.raw<{ n: number }>(statement).execute(read)).rows.map((it) => it.n)
    expect(await rows('select count(*) as n from later where account_id = 2')).toEqual([1])
    expect(await rows('select count(*) as n from last where account_id = 2')).toEqual([1])
    expect(await rows('select later as n from campaign where account_id = 1')).toEqual([7])
    expect(await rows('select count(*) as n from later_word')).toEqual([1])
    const insert = (account: number, campaign: number, name: string) =>
      database.write({ rows: account }, (query) =>
        sql`insert into later (account_id, campaign_id, name) values (${account}, ${campaign}, ${name})`.execute(query),
      )
    await insert(2, 2, 'new')
    expect(await rows('select max(id) as n from later where account_id = 2')).toEqual([3])
    // The campaign of another account, and a name twice.
    await expect(insert(2, 1, 'other')).rejects.toMatchObject({ code: '23503' })
    await expect(insert(2, 2, 'new')).rejects.toMatchObject({ code: '23505' })
  })

  test('is brought up to date once by several servers that start together', async () => {
    const { url, database } = await distributed()
    const starting = await Promise.all([1, 2, 3].map(() => openAt(url)))
    await Promise.all(starting.map((it) => migrate(it, { steps, tables })))
    expect((await places(database.read)).map((it) => it.name)).toEqual(['last', 'later', 'later_word'])
  })
})

describe.runIf(process.env.PARLEY_TEST_CITUS)('a new database that has the extension', () => {
  test('has all its tables on the coordinator until they are distributed, also those of later versions', async () => {
    const database = await openAt(await undistributedUrl())
    await migrate(database, { steps, tables })
    expect(await places(database.read)).toEqual([])
  })
})
