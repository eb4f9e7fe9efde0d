import { closeSync, copyFileSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { removeChecksum } from '../../../../src/node/file-checksum.ts'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { databases, sqlite } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'
import type { Place } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

/** Overwrites the first page of a table, or every page. */
async function damage(place: Place, table?: string): Promise<void> {
  const file = join(place.dataDir, 'platform.db')
  let pages = [...Array(Math.floor(statSync(file).size / 4096)).keys()].slice(1)
  if (table !== undefined) {
    const tables = await tablesOf(place)
    const { rows } = await sql<{
      page: number
    }>`select rootpage as page from sqlite_master where name = ${table}`.execute(tables.read)
    pages = [Number(rows[0]?.page) - 1]
    await tables.write('rows', (query) => sql`select 1`.execute(query))
    await tables.close()
  }
  const handle = openSync(file, 'r+')
  for (const page of pages) writeSync(handle, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096)
  closeSync(handle)
}

describe.each(databases)('balances on $name', (database) => {
  test('are compared with the movements of money', async () => {
    const api = await fresh(database)
    const { id } = await api.account({ name: 'Second', balance: 12.5 })
    expect((await api.control('GET', '/control/check')).body).toMatchObject({ balances: { accounts: 2, wrong: [] } })
    const tables = await tablesOf(api.place)
    await tables.write('rows', (query) =>
      query.updateTable('account').set({ balance: 7_000_000 }).where('id', '=', id).execute(),
    )
    expect((await api.control('GET', '/control/check')).body.balances).toEqual({
      accounts: 2,
      wrong: [{ account: id, balance: 7, ledger: 12.5 }],
    })
  })
})

describe('server check', () => {
  test('exits with 20 if a balance differs, also with --rebuild', async () => {
    const by = operator()
    await by.run('server accounts update 1 --top-up 1')
    expect((await by.run('server check')).exitCode).toBe(0)
    const tables = await tablesOf({ dataDir: by.dataDir })
    await tables.write('rows', (query) => query.updateTable('account').set({ balance: 1 }).execute())
    for (const line of ['server check --json', 'server check --rebuild --json']) {
      const { exitCode, stdout } = await by.run(line)
      expect([exitCode, JSON.parse(stdout).find((it: { what: string }) => it.what === 'balances').status]).toEqual([
        20,
        'wrong',
      ])
    }
  })

  test('reports a damaged database, and rebuilds nothing in it', async () => {
    const place = await newPlace(sqlite)
    const first = await openAt(place)
    await first.platform.close()
    await damage(place, 'lead')
    const api = await openAt(place)
    const { status, body } = await api.control('GET', '/control/check')
    expect(status).toBe(200)
    expect(body.problems.length).toBeGreaterThan(0)
    expect(body.lists).toContainEqual({ list: 'lead', wrong: null })
    const rebuilt = await api.control('POST', '/control/check/recount')
    expect(rebuilt).toMatchObject({ status: 409, body: { message: expect.stringContaining('damaged') } })
  })

  test('reports a database that cannot even be opened, which a restore replaces', async () => {
    const by = operator({ reopens: true })
    await by.run('server backup good.backup')
    await damage({ dataDir: by.dataDir })
    for (const line of ['server check --json', 'server check --rebuild --json']) {
      const { exitCode, stdout } = await by.run(line)
      expect([exitCode, JSON.parse(stdout)]).toEqual([
        20,
        [{ what: 'database', status: 'damaged', found: expect.stringContaining('damaged') }],
      ])
    }
    expect(await by.run(`server restore good.backup --confirm ${basename(by.dataDir)}`)).toMatchObject({ exitCode: 0 })
    expect(await by.run('server check')).toMatchObject({ exitCode: 0 })
  })
})

test('after a check that found damage, every command warns that its result may be incomplete', async () => {
  const by = operator({ reopens: true, supports: 'neutral' })
  await by.run('server backup good.backup')
  await damage({ dataDir: by.dataDir }, 'lead')
  expect(await by.run('tools list')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await by.run('server check')).toMatchObject({ exitCode: 20 })
  for (const line of ['tools list', 'tools list --json -q', 'keys create --name ci'])
    expect(await by.run(line), line).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('may be incomplete'),
    })
  expect((await by.run('server check')).stderr).not.toContain('may be incomplete')
  // A backup of a newer version is refused, and the damaged database stays where it is.
  const newer = join(by.cwd, 'newer.backup')
  copyFileSync(join(by.cwd, 'good.backup'), newer)
  removeChecksum(newer)
  const database = loadSqlite().open(newer)
  database.exec("update meta set value = '999' where key = 'schema_version'")
  database.close()
  expect(await by.run(`server restore newer.backup --confirm ${basename(by.dataDir)}`)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringMatching(/^(?!.*was moved to).*newer version/s),
  })
  expect(await by.run(`server restore good.backup --confirm ${basename(by.dataDir)}`)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('was moved to'),
  })
  expect(await by.run('leads list')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await by.run('server check')).toMatchObject({ exitCode: 0 })
})

describe('the database of a running server', () => {
  test('is reported if it was deleted or replaced, and nothing is lost silently', async () => {
    const api = await fresh(sqlite)
    const file = join(api.place.dataDir, 'platform.db')
    expect((await api.ask('GET', '/readyz')).status).toBe(200)
    expect((await api.ask('POST', '/api/user/api-keys', { body: { name: 'before' } })).status).toBe(201)
    renameSync(file, `${file}.away`)
    for (const name of ['one', 'two'])
      expect(await api.ask('POST', '/api/user/api-keys', { body: { name } })).toMatchObject({
        status: 503,
        body: { message: expect.stringContaining('deleted or replaced') },
      })
    expect(await api.ask('GET', '/readyz')).toMatchObject({ status: 503, body: { reason: 'database_replaced' } })
    expect((await api.control('GET', '/control/check')).body.problems).toEqual([
      expect.stringContaining('deleted or replaced'),
    ])
    renameSync(`${file}.away`, file)
    expect((await api.ask('POST', '/api/user/api-keys', { body: { name: 'after' } })).status).toBe(201)
    expect((await api.ask('GET', '/readyz')).status).toBe(200)
    await sql`select 1`.execute((await tablesOf(api.place)).read)
  })
})
