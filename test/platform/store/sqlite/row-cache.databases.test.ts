import { describe, expect, test } from 'vitest'
import type { Connection, PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { readClock, writeClock } from '../../../../src/platform/store/runtime/clock.ts'
import { databases, opened } from '../../../support/databases.ts'

const at = (offset: number) => ({ frozen_at: null, offset })
const offset = async (query: PlatformQuery): Promise<number | undefined> => (await readClock(query))?.offset
/** Asked together, so that they share a commit where commits are shared. */
const together = <T>(connection: Connection, bodies: readonly ((query: PlatformQuery) => Promise<T>)[]) =>
  Promise.allSettled(bodies.map((it) => connection.write('rows', it)))
const other = async (query: PlatformQuery): Promise<unknown> =>
  query
    .insertInto('meta')
    .values({ key: 'other', value: '1' })
    .onConflict((it) => it.column('key').doUpdateSet({ value: '1' }))
    .execute()

describe.each(databases)('a repeated read of a transaction on $name', ({ fresh, target }) => {
  test('returns what it wrote itself, in every way of writing', async () => {
    const connection = await fresh()
    const seen = await connection.write('rows', async (query) => {
      await writeClock(query, at(1))
      const found = [await offset(query), await offset(query)]
      await writeClock(query, at(2))
      found.push(await offset(query))
      await query.updateTable('clock').set({ offset: 3 }).execute()
      found.push(await offset(query))
      await query.deleteFrom('clock').execute()
      return [...found, await offset(query)]
    })
    expect(seen).toEqual([1, 1, 2, 3, undefined])
  })

  test('returns nothing that a failed transaction wrote', async () => {
    const connection = await fresh()
    await connection.write('rows', (query) => writeClock(query, at(1)))
    for (let n = 0; n < 5; n++) {
      const results = await together<number | undefined>(connection, [
        offset,
        async (query) => {
          await writeClock(query, at(99))
          await offset(query)
          throw new Error('taken back')
        },
        offset,
      ])
      expect(results.filter((it) => it.status === 'fulfilled').map((it) => it.value)).toEqual([1, 1])
    }
  })

  test('returns what others have written in between', async () => {
    const store = await target()
    const [one, other] = [await opened(store), await opened(store)]
    for (let n = 1; n <= 5; n++) {
      await other.write('rows', (query) => writeClock(query, at(n)))
      expect(
        (await together(one, [offset, offset, offset])).map((found) => found.status === 'fulfilled' && found.value),
      ).toEqual([n, n, n])
    }
  })

  test('returns a value that the caller can change', async () => {
    const connection = await fresh()
    await connection.write('rows', (query) => writeClock(query, at(1)))
    await connection.write('rows', async (query) => {
      for (let n = 0; n < 3; n++) {
        const row = await readClock(query)
        expect(row?.offset).toBe(1)
        Object.assign(row ?? {}, { offset: 50 })
        await other(query)
      }
    })
  })
})
