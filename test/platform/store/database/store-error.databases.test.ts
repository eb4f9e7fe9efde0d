import { chmodSync, chownSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Connection, Query } from '../../../../src/platform/store/database/connection.ts'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'
import { StoreError } from '../../../../src/platform/store/database/store-error.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { databases, opened, temporaryFolder } from '../../../support/databases.ts'
import { buildProcess, runProcess } from '../../../support/processes/build.ts'

const addAccount = (name: string) => (query: Query) =>
  query
    .insertInto('account')
    .values({ name, email: 'e', kind: 'tenant', balance: 0, minute_rate: 0, payment_method: null, created_at: 1 })
    .execute()

/** The reason and message of the refusal. */
async function refusal(work: Promise<unknown>): Promise<Pick<StoreError, 'reason' | 'message'>> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StoreError)) throw new Error(`Not refused by the store: ${error}`)
  return { reason: error.reason, message: error.message }
}

describe('a file', () => {
  test('that cannot grow is reported as full, and still answers reads', async () => {
    const file = join(temporaryFolder(), 'a.db')
    const connection = await opened({ file, maxPages: 300 })
    await connection.write('rows', addAccount('small'))
    expect(await refusal(connection.write('rows', addAccount('x'.repeat(500_000))))).toEqual({
      reason: 'full',
      message: expect.stringMatching(`${file}.*Free some space`),
    })
    expect(await connection.read.selectFrom('account').select('name').execute()).toMatchObject([{ name: 'small' }])
  })

  test('that is not a database is reported as damaged', async () => {
    const file = join(temporaryFolder(), 'a.db')
    writeFileSync(file, 'a letter to my aunt\n'.repeat(1000))
    expect(await refusal(openStore({ file }))).toEqual({ reason: 'corrupt', message: expect.stringContaining(file) })
    expect(readFileSync(file, 'utf8')).toContain('aunt')
  })

  test('that was truncated is reported as damaged', async () => {
    const file = join(temporaryFolder(), 'a.db')
    const connection = await openStore({ file })
    await connection.write('rows', addAccount('x'.repeat(100_000)))
    await connection.close()
    const truncated = loadSqlite().open(file)
    truncated.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    truncated.close()
    truncateSync(file, 8192)
    const reading = openStore({ file }).then((it) => it.read.selectFrom('account').selectAll().execute())
    expect(await refusal(reading)).toEqual({ reason: 'corrupt', message: expect.stringContaining(file) })
  })

  test('in a missing folder cannot be opened', async () => {
    const file = join(temporaryFolder(), 'nowhere', 'a.db')
    expect(await refusal(openStore({ file }))).toEqual({ reason: 'unopenable', message: expect.stringContaining(file) })
  })

  test('that is a folder cannot be opened', async () => {
    const file = temporaryFolder()
    expect(await refusal(openStore({ file }))).toEqual({ reason: 'unopenable', message: expect.stringContaining(file) })
  })

  test('locked by another process for too long is reported as busy, and works after that', async () => {
    const file = join(temporaryFolder(), 'a.db')
    await opened({ file })
    const other = loadSqlite().open(file)
    other.exec('BEGIN IMMEDIATE')
    const connection = await openSqlite(file, { lockTimeoutMs: 100 })
    expect(await refusal(connection.write('rows', addAccount('late')))).toEqual({
      reason: 'busy',
      message: expect.stringContaining(file),
    })
    const waiting = connection.write('rows', addAccount('patient'))
    other.exec('COMMIT')
    other.close()
    await waiting
    await connection.close()
  })
})

describe.skipIf(process.platform === 'win32')('a read-only folder', () => {
  /** Opened as another user when we are root, whom no permission stops. */
  async function openElsewhere({ made }: { made: boolean }): Promise<{ code: number; stderr: string; file: string }> {
    const parent = temporaryFolder()
    chmodSync(parent, 0o755)
    const folder = join(parent, 'data')
    mkdirSync(folder)
    const file = join(folder, 'a.db')
    const script = await buildProcess('add-accounts')
    if (made) {
      await runProcess(script, [file, 'before', '1'])
      chmodSync(file, 0o644)
    }
    const asRoot = process.getuid?.() === 0
    if (asRoot) chownSync(folder, 65534, 65534)
    chmodSync(folder, 0o555)
    const { code, stderr } = await runProcess(script, [file, 'x', '1'], asRoot ? { uid: 65534, gid: 65534 } : {})
    chmodSync(folder, 0o755)
    return { code, stderr, file }
  }

  test('cannot hold a new file, which is reported with a fix', async () => {
    const { code, stderr, file } = await openElsewhere({ made: false })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(`StoreError: read_only: ${file} cannot be written`),
    })
  })

  test('makes its file read-only', async () => {
    const { code, stderr, file } = await openElsewhere({ made: true })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(`StoreError: read_only: ${file} cannot be written`),
    })
  })
})

describe('a server', () => {
  test('that does not respond is reported as unreachable, without its password', async () => {
    const socket = createServer()
    await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve))
    const { port } = socket.address() as AddressInfo
    await new Promise((resolve) => socket.close(resolve))
    const { reason, message } = await refusal(openStore({ url: `postgres://me:secret@127.0.0.1:${port}/parley` }))
    expect(reason).toBe('unreachable')
    expect(message).toContain(`127.0.0.1:${port}/parley`)
    expect(message).not.toContain('secret')
  })
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('a server of $name', (database) => {
  /** Ends every other connection to the database, and waits until the server has none and this process was notified. */
  async function endOthers({ read }: Connection): Promise<void> {
    const others = sql`from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and application_name not like 'citus%'`
    await sql`select pg_terminate_backend(pid) ${others}`.execute(read)
    await expect.poll(async () => (await sql`select pid ${others}`.execute(read)).rows).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
  }
  const aDatabase = async (): Promise<{ url: string }> => (await database.target()) as { url: string }

  test('without the database is reported', async () => {
    const target = await aDatabase()
    const { reason, message } = await refusal(openStore({ url: `${target.url}_not` }))
    expect([reason, message]).toEqual(['unopenable', expect.stringContaining('does not exist')])
  })

  test('that ends a connection gets a new one at the next query', async () => {
    const target = await aDatabase()
    const [connection, other] = [await opened(target), await opened(target)]
    await connection.read.selectFrom('account').selectAll().execute()
    await endOthers(other)
    expect(await connection.read.selectFrom('account').selectAll().execute()).toEqual([])
  })

  test('that ends a connection between two statements fails only that transaction', async () => {
    const target = await aDatabase()
    const [connection, other] = [await opened(target), await opened(target)]
    const cut = connection.write('rows', async (query) => {
      await query.selectFrom('account').selectAll().execute()
      await endOthers(other)
      await query.selectFrom('account').selectAll().execute()
    })
    expect(
      await cut.then(
        () => 'committed',
        () => 'failed',
      ),
    ).toBe('failed')
    expect(await connection.read.selectFrom('account').selectAll().execute()).toEqual([])
  })

  test('whose tables another process changed continues to answer', async () => {
    const target = await aDatabase()
    const [connection, other] = [await opened(target), await opened(target)]
    const find = (query: Query): Promise<unknown[]> =>
      query.selectFrom('account').selectAll().where('id', '=', 1).execute()
    await connection.write('rows', find)
    await sql`alter table account add column note text`.execute(other.read)
    expect(await find(connection.read)).toEqual([])
    await connection.write('rows', find)
    await sql`alter table account add column more text`.execute(other.read)
    expect(await connection.write('rows', find)).toEqual([])
  })
})
