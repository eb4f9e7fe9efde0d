import { execPath } from 'node:process'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/platform/store/database/migrate.ts'
import { migrations } from '../../src/platform/store/migrations/all.ts'
import { releases } from '../../src/platform/store/migrations/releases.ts'
import { openPostgres } from '../../src/platform/store/postgres/open-postgres.ts'
import { bin, launch, newPlace } from '../e2e/support/built-program.ts'
import { type Server, startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'

let postgres: Server
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** Creates a database, with the schema of a version, or empty. */
async function createDatabase(name: string, version: number): Promise<string> {
  await order(postgres.url, `create database ${name}`)
  const url = databaseUrl(postgres.url, name)
  const database = await openPostgres(url)
  await migrate(database, { steps: migrations.slice(0, version) })
  await database.close()
  return url
}

async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Inserts leads as a server of the version before does, one after the other, until it is stopped. */
function writeLeads(client: pg.Client): { count: () => number; stop: () => Promise<number> } {
  let isOver = false
  let written = 0
  const ended = (async () => {
    // Longer than a change of the schema waits for a table, and shorter than it takes.
    await client.query("set lock_timeout = '5s'")
    for (; !isOver; written++)
      await client.query(
        `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
          values (1, 1, $1, '{}', 'created', 0, 0, 1, 1)`,
        [`+1415555${written}`],
      )
  })()
  ended.catch(() => {})
  return {
    count: () => written,
    async stop() {
      isOver = true
      await ended
      return written
    },
  }
}

const catalog = async (client: pg.Client): Promise<readonly string[]> =>
  (
    await client.query(`select pg_get_indexdef(indexrelid) || indisvalid as text from pg_index join pg_class c on c.oid = indrelid
      where c.relnamespace = 'public'::regnamespace
    union all select conrelid::regclass || conname || pg_get_constraintdef(oid) || convalidated from pg_constraint
      where connamespace = 'public'::regnamespace order by 1`)
  ).rows.map((it) => it.text)

/** Locks that hold up the upgrade, and the statement that waits for each. */
const points = [
  {
    lock: 'lock table tool in row exclusive mode',
    statement: 'create unique index concurrently if not exists tool_pkey_account%',
  },
  { lock: 'lock table subscription in row exclusive mode', statement: '%alter table subscription add constraint%' },
  {
    lock: 'lock table lead in share update exclusive mode',
    statement: 'alter table lead validate constraint lead_campaign_id_fkey_account',
  },
  { lock: 'lock table sip_trunk in access share mode', statement: '%alter table sip_trunk drop constraint%' },
] as const

test('an upgrade that is killed again and again is finished by the next start, while an earlier version writes', async () => {
  const url = await createDatabase('killed', releases.at(-1)?.schema ?? 0)
  const [holder, writer, observer] = [await session(url), await session(url), await session(url)]
  await observer.query(`insert into account (name, email, kind, balance, minute_rate, created_at)
    select 'A', 'a@example.com', 'tenant', 1, 0, 1 from generate_series(1, 2);
    insert into campaign (account_id, name, channel, status, settings, created_at, updated_at) values (1, 'C', 'call', 'paused', '{}', 1, 1);
    insert into meta (key, value) values ('seed', '1')`)
  const writing = writeLeads(writer)
  const serve = () => launch(execPath, [bin, 'server', 'start', '--port', '0', '--database', url], { at: newPlace() })
  for (const point of points) {
    await holder.query('begin')
    await holder.query(point.lock)
    const killed = serve()
    const isWaiting = async () =>
      (
        await observer.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
          [point.statement],
        )
      ).rowCount
    await expect.poll(isWaiting, { timeout: 60_000, message: `${point.statement} ${killed.stderr()}` }).toBe(1)
    const before = writing.count()
    await expect.poll(writing.count).toBeGreaterThan(before + 20)
    killed.kill('SIGKILL')
    await killed.ended
    await holder.query('commit')
  }
  expect((await observer.query("select value from meta where key = 'schema_version'")).rows).toEqual([{ value: '20' }])
  const finished = serve()
  await finished.until('Listening on ')
  const written = await writing.stop()
  expect((await observer.query('select count(*)::int as n from lead')).rows).toEqual([{ n: written }])
  expect(await catalog(observer)).toEqual(
    await catalog(await session(await createDatabase('fresh', migrations.length))),
  )
  finished.kill('SIGTERM')
  expect((await finished.ended).exitCode).toBe(0)
})
