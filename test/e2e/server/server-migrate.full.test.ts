import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startPostgres } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { filledPlace, type Place, parley, start } from '../support/built-program.ts'

// A migration that is killed saves nothing, and the next one starts over: both directions, with real processes.

let postgres: Server
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

interface Migration {
  readonly copied: boolean
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly hash: string }[]
}
async function migrate(at: Place, words: string): Promise<Migration> {
  const { exitCode, stdout, stderr } = await parley(`server migrate ${words} --json`, { at })
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout)
}
const contentOf = ({ tables }: Migration) => tables.map(({ table, rows, hash }) => ({ table, rows, hash }))

async function newDatabase(name: string): Promise<string> {
  await order(postgres.url, `create database ${name}`)
  return databaseUrl(postgres.url, name)
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const isFilled = async (url: string): Promise<boolean> =>
  (await ask(url, 'select count(*)::int as n from account'))[0]?.n !== 0

test('to PostgreSQL: killed while it copies, it leaves the target empty and the folder unchanged', async () => {
  const at = await filledPlace(7)
  const file = join(at.data, 'platform.db')
  const before = digest(file)
  const url = await newDatabase('killed_while_copying')
  // The schema, from another folder.
  const empty = await filledPlace(8)
  await migrate(empty, `--to ${url}`)
  await order(
    url,
    `do $$ declare t text; begin for t in select tablename from pg_tables where schemaname = 'public' and tablename not in ('meta', 'clock') loop execute format('truncate %I cascade', t); end loop; end $$`,
  )

  // Rows of "lead" wait for a lock that this test holds, in the middle of the copy.
  await order(
    url,
    `create function wait() returns boolean language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return true; end $$`,
  )
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('select pg_advisory_lock(7)')
  await order(url, 'alter table lead add constraint waiting check (wait()) not valid')
  const running = start(`server migrate --to ${url} --switch`, { at })
  await expect
    .poll(() =>
      ask(
        postgres.url,
        `select query from pg_stat_activity where wait_event = 'advisory' and query like 'insert into "lead"%'`,
      ),
    )
    .toHaveLength(1)
  running.kill('SIGKILL')
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL' })
  await holder.end()
  await order(url, 'alter table lead drop constraint waiting').catch(() => undefined)

  expect(await isFilled(url)).toBe(false)
  expect(digest(file)).toBe(before)
  expect(existsSync(join(at.data, 'database.json'))).toBe(false)

  const done = await migrate(at, `--to ${url} --switch`)
  expect(done.copied).toBe(true)
  expect(digest(file)).toBe(before)
  expect((await parley('server status --json', { at })).stdout).toContain('"postgres"')
})

test('back to SQLite: killed at any moment, there is no file or a complete one, and the source stays the same', async () => {
  const at = await filledPlace(7)
  const url = await newDatabase('killed_while_written')
  const there = await migrate(at, `--to ${url} --switch`)
  const file = join(at.data, 'platform.db')
  renameSync(file, join(at.dir, 'old.db'))
  for (const delayMs of [0, 40, 80, 160, 320]) {
    const running = start('server migrate --to sqlite --switch', { at })
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    await expect.poll(() => existsSync(`${file}.migrating`) || isOver, { interval: 1 }).toBe(true)
    // Different moments of the copy: whichever it is, the outcome below is the same.
    await sleep(delayMs)
    running.kill('SIGKILL')
    await running.ended
    const isSwitched = !existsSync(join(at.data, 'database.json'))
    if (isSwitched) expect(existsSync(file)).toBe(true)
    // A file that is there is complete.
    if (existsSync(file)) break
  }
  if (existsSync(join(at.data, 'database.json'))) await migrate(at, '--to sqlite --switch')
  expect(existsSync(`${file}.migrating`)).toBe(false)
  const compared = await migrate(at, `--to ${url} --verify`)
  expect(compared).toMatchObject({ copied: false })
  expect(contentOf(compared)).toEqual(contentOf(there))
  expect((await parley('server check', { at })).exitCode).toBe(0)
  expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ database: 'sqlite' })
})
