import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Connection, Query } from '../../../../src/platform/store/database/connection.ts'
import type { SqliteDatabase, SqliteDriver } from '../../../../src/platform/store/sqlite/libsql-driver.ts'
import { openSqlite, type SqliteOptions } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { temporaryFolder } from '../../../support/databases.ts'

/** A driver that tells what is run outside of prepared statements, which are the limits of transactions, before it is run. */
function watched(watch: (text: string) => void): SqliteDriver {
  const driver = loadSqlite()
  const watching = (database: SqliteDatabase): SqliteDatabase => ({
    prepare: (text) => database.prepare(text),
    exec(text) {
      watch(text)
      database.exec(text)
    },
    close: () => database.close(),
  })
  return { ...driver, open: (file) => watching(driver.open(file)) }
}

async function openWithTable(options: SqliteOptions = {}, file = join(temporaryFolder(), 'a.db')): Promise<Connection> {
  const connection = await openSqlite(file, options)
  afterFile(() => connection.close())
  await connection.write('rows', (query) =>
    sql`create table if not exists line (id integer primary key, text text not null)`.execute(query),
  )
  return connection
}

const add = (query: Query, text: string): Promise<unknown> =>
  sql`insert into line (text) values (${text})`.execute(query)

const lines = async (connection: Connection): Promise<string[]> => {
  const { rows } = await sql<{ text: string }>`select text from line order by id`.execute(connection.read)
  return rows.map((it) => it.text)
}

const commits = (notes: readonly string[]): number => notes.filter((it) => it === 'COMMIT').length

test('transactions of one turn share commits, and each ends only after its own', async () => {
  const notes: string[] = []
  const connection = await openWithTable({ driver: watched((text) => notes.push(text)) })
  notes.length = 0
  const commitsWhenAnswered = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      connection.write('rows', (query) => add(query, `${index}`)).then(() => commits(notes)),
    ),
  )
  expect(commits(notes)).toBeLessThan(10)
  expect(Math.min(...commitsWhenAnswered)).toBeGreaterThan(0)
  expect(await lines(connection)).toHaveLength(50)
})

test('sequential transactions have one commit each', async () => {
  const notes: string[] = []
  const connection = await openWithTable({ driver: watched((text) => notes.push(text)) })
  notes.length = 0
  for (let index = 0; index < 5; index++) await connection.write('rows', (query) => add(query, `${index}`))
  expect(commits(notes)).toBe(5)
})

test('an account that queues many transactions does not delay that of another', async () => {
  const connection = await openWithTable()
  const texts = Array.from({ length: 30 }, (_, index) => `a${index}`)
  const write = (account: number, text: string) => connection.write({ rows: account }, (query) => add(query, text))
  await Promise.all([...texts.map((text) => write(1, text)), write(2, 'b')])
  const saved = await lines(connection)
  expect(saved.indexOf('b')).toBeLessThan(2)
  expect(saved.filter((it) => it !== 'b')).toEqual(texts)
})

test('a failed commit fails all transactions that shared it, and the next one works', async () => {
  let broken = false
  const driver = watched((text) => {
    if (broken && text === 'COMMIT') throw new Error('power cut')
  })
  const connection = await openWithTable({ driver })
  broken = true
  const answers = await Promise.allSettled([
    connection.write('rows', (query) => add(query, 'a')),
    connection.write('rows', (query) => add(query, 'b')),
  ])
  broken = false
  expect(answers.map((it) => it.status)).toEqual(['rejected', 'rejected'])
  await connection.write('rows', (query) => add(query, 'c'))
  expect(await lines(connection)).toEqual(['c'])
})

test('a body that awaits anything but its queries is refused, and cannot write later', async () => {
  const connection = await openWithTable()
  let late: Promise<unknown> | undefined
  const slow = connection.write('rows', async (query) => {
    await add(query, 'before')
    await new Promise((resolve) => setImmediate(resolve))
    late = add(query, 'after')
    await late
  })
  const others = [
    connection.write('rows', (query) => add(query, 'other')),
    slow.catch(() => connection.write('rows', (query) => add(query, 'next'))),
  ]
  await expect(slow).rejects.toThrow('something other than its queries')
  await Promise.all(others)
  await expect.poll(() => late !== undefined).toBe(true)
  await expect(late).rejects.toThrow('has ended')
  expect(await lines(connection)).toEqual(['other', 'next'])
})

test('a body cannot open a nested transaction, and the reading connection cannot write', async () => {
  const connection = await openWithTable()
  await expect(connection.write('rows', (query) => query.transaction().execute(async () => {}))).rejects.toThrow(
    'Connection.write',
  )
  await expect(sql`insert into line (text) values ('x')`.execute(connection.read)).rejects.toThrow()
})

test('a full file fails the transaction that filled it, and saves the others of its commit', async () => {
  const connection = await openWithTable({ maxPages: 20 })
  const answers = await Promise.allSettled([
    connection.write('rows', (query) => add(query, 'small')),
    connection.write('rows', (query) => add(query, 'x'.repeat(200_000))),
    connection.write('rows', (query) => add(query, 'small too')),
  ])
  expect(answers.map((it) => (it.status === 'rejected' ? it.reason.reason : 'kept'))).toEqual(['kept', 'full', 'kept'])
  expect(await lines(connection)).toEqual(['small', 'small too'])
})

test('rows can be streamed, and a stream that is left early holds no lock', async () => {
  const file = join(temporaryFolder(), 'a.db')
  const connection = await openWithTable({}, file)
  await connection.write('rows', (query) =>
    sql`insert into line (text) with recursive n (i) as (select 1 union all select i + 1 from n where i < 300) select 'x' from n`.execute(
      query,
    ),
  )
  let seen = 0
  for await (const row of connection.read
    .selectFrom('line' as 'meta')
    .selectAll()
    .stream()) {
    expect(row).toHaveProperty('text', 'x')
    if (++seen === 150) break
  }
  await connection.write('rows', (query) => add(query, 'later'))
  const other = loadSqlite().open(file)
  // Busy while a reader still needs what the log has replaced.
  expect(other.prepare('pragma wal_checkpoint(truncate)').get([])).toMatchObject({ busy: 0 })
  other.close()
  let all = 0
  for await (const _ of connection.read
    .selectFrom('line' as 'meta')
    .selectAll()
    .stream())
    all++
  expect([seen, all]).toEqual([150, 301])
})

test('every connection is configured so that a commit survives a power failure', async () => {
  const connection = await openWithTable()
  const settings = async (query: Query): Promise<unknown[]> => {
    const found: unknown[] = []
    for (const name of ['journal_mode', 'synchronous', 'foreign_keys', 'recursive_triggers', 'query_only']) {
      const { rows } = await sql<Record<string, unknown>>`${sql.raw(`pragma ${name}`)}`.execute(query)
      found.push(Object.values(rows[0] ?? {})[0])
    }
    return found
  }
  expect(await settings(connection.read)).toEqual(['wal', 2, 1, 1, 1])
  expect(await connection.write('rows', settings)).toEqual(['wal', 2, 1, 1, 0])
})

test.skipIf(process.platform === 'win32')('the file and its log can be read by their owner only', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await openWithTable({}, file)
  expect(['', '-wal'].map((end) => statSync(file + end).mode & 0o077)).toEqual([0, 0])
})
