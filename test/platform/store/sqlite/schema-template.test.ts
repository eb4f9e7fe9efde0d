import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'parley-template-'))

/** Opens a new database from the template and returns its schema and the number of accounts. */
async function open(template: string, file = join(folder(), 'platform.db')) {
  const connection = await openStore({ file, template, durable: false })
  onTestFinished(() => connection.close())
  const { rows } = await sql<{
    sql: string | null
  }>`select type, name, sql from sqlite_master order by type, name`.execute(connection.read)
  const accounts = await connection.read.selectFrom('account').selectAll().execute()
  return { file, connection, schema: rows, accounts }
}

test('a database that is copied from the template has the schema of one that was created, and no rows', async () => {
  const plain = await openStore({ file: join(folder(), 'platform.db') })
  onTestFinished(() => plain.close())
  const created = await sql`select type, name, sql from sqlite_master order by type, name`.execute(plain.read)
  const template = join(folder(), 'cache', 'schema.db')
  const first = await open(template)
  await first.connection.write('everything', (query) =>
    query.insertInto('meta').values({ key: 'seed', value: '7' }).execute(),
  )
  const second = await open(template)
  expect(second.schema).toEqual(created.rows)
  expect(second.accounts).toEqual([])
  expect(await second.connection.read.selectFrom('meta').selectAll().where('key', '=', 'seed').execute()).toEqual([])
  expect(statSync(second.file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(template, '..'))).toEqual(['schema.db'])
})

test.each([
  ['is empty', () => Buffer.alloc(0)],
  ['is cut off', (it: Buffer) => it.subarray(0, it.length >> 1)],
  ['has a wrong byte', (it: Buffer) => Buffer.from(it).fill(1, 9000, 9001)],
  ['is something else', () => Buffer.from('no database')],
])('a template that %s is built again', async (_, damage) => {
  const template = join(folder(), 'schema.db')
  await open(template)
  const intact = readFileSync(template)
  writeFileSync(template, damage(intact))
  expect((await open(template)).schema.length).toBeGreaterThan(100)
  expect(readFileSync(template).length).toBe(intact.length)
})

test('without a folder for the template, databases are created as without one', async () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  expect((await open(join(file, 'schema.db'))).schema.length).toBeGreaterThan(100)
  expect((await open('/proc/parley/schema.db')).schema.length).toBeGreaterThan(100)
})

test('several databases may be created at once, also in one folder', async () => {
  const template = join(folder(), 'schema.db')
  const file = join(folder(), 'platform.db')
  const opened = await Promise.all([open(template), open(template), open(template, file), open(template, file)])
  for (const store of opened) expect(store.schema).toEqual(opened[0].schema)
  expect(readdirSync(join(file, '..')).filter((it) => it.includes('draft'))).toEqual([])
})

test('a database that exists is not replaced', async () => {
  const template = join(folder(), 'schema.db')
  const { file, connection } = await open(template)
  await connection.write('everything', (query) =>
    query.insertInto('meta').values({ key: 'seed', value: '7' }).execute(),
  )
  const again = await open(template, file)
  expect(await again.connection.read.selectFrom('meta').selectAll().where('key', '=', 'seed').execute()).toHaveLength(1)
  expect(existsSync(template)).toBe(true)
})
