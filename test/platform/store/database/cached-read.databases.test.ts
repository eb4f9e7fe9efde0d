import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Connection, Query } from '../../../../src/platform/store/database/connection.ts'
import { databases, opened } from '../../../support/databases.ts'

const add = (query: Query, name: string): Promise<unknown> =>
  query
    .insertInto('account')
    .values({
      name,
      email: `${name}@example.com`,
      kind: 'tenant',
      balance: 0,
      minute_rate: 0,
      payment_method: null,
      created_at: 1,
    })
    .execute()

const names = async (query: Query): Promise<string[]> =>
  (await query.selectFrom('account').select('name').orderBy('id').execute()).map((it) => it.name)
const recalled = (connection: Connection): Promise<string[]> =>
  connection.cachedRead('names', () => names(connection.read))

describe.each(databases)('a cached read on $name', ({ fresh, target }) => {
  test('returns what a read returns', async () => {
    const connection = await fresh()
    await connection.write('rows', (query) => add(query, 'One'))
    expect(await recalled(connection)).toEqual(['One'])
    expect(await recalled(connection)).toEqual(['One'])
  })

  test('returns the latest write, whatever was read concurrently', async () => {
    const connection = await fresh()
    for (let n = 1; n <= 20; n++) {
      const written = connection.write('rows', async (query) => {
        await add(query, `n${n}`)
        await recalled(connection)
      })
      void recalled(connection)
      await written
      expect(await recalled(connection)).toHaveLength(n)
    }
  })

  test('returns writes of another connection as soon as they are committed', async () => {
    const store = await target()
    const [one, other] = [await opened(store), await opened(store)]
    for (let n = 1; n <= 20; n++) {
      expect(await recalled(one)).toHaveLength(n - 1)
      await other.write('rows', (query) => add(query, `n${n}`))
      expect(await recalled(one)).toHaveLength(n)
    }
  })

  test('does not cache a failure', async () => {
    const connection = await fresh()
    const failing = connection.cachedRead('names', () => Promise.reject(new Error('not now')))
    await expect(failing).rejects.toThrow('not now')
    expect(await recalled(connection)).toEqual([])
  })

  test('is cached separately by its key', async () => {
    const connection = await fresh()
    expect(
      await Promise.all([connection.cachedRead('a', async () => 1), connection.cachedRead('b', async () => 2)]),
    ).toEqual([1, 2])
  })
})

describe.each(databases.filter(({ name }) => name === 'sqlite'))('a file', ({ fresh }) => {
  test('is read again only after a write', async () => {
    const connection = await fresh()
    let reads = 0
    const read = async (): Promise<number> => {
      await sql`select 1`.execute(connection.read)
      return ++reads
    }
    for (let n = 0; n < 5; n++) {
      await new Promise(setImmediate)
      expect(await connection.cachedRead('one', read)).toBe(1)
    }
  })

  test('clears the cache when it is full, and continues', async () => {
    const connection = await fresh()
    for (let n = 0; n < 3000; n++) expect(await connection.cachedRead(`key ${n}`, async () => n)).toBe(n)
  })
})
