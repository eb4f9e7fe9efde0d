import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Query } from '../../../../src/platform/store/database/connection.ts'
import { isUniqueViolation } from '../../../../src/platform/store/database/store-error.ts'
import { databases } from '../../../support/databases.ts'

const addAccount = (query: Query, name: string, balance = 0): Promise<{ id: number }> =>
  query
    .insertInto('account')
    .values({
      name,
      email: `${name}@example.com`,
      kind: 'tenant',
      balance,
      minute_rate: 0,
      payment_method: null,
      created_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()

const names = async (query: Query): Promise<string[]> =>
  (await query.selectFrom('account').select('name').orderBy('id').execute()).map((it) => it.name)

describe.each(databases)('a transaction on $name', ({ fresh }) => {
  test('saves what its body wrote, and returns its result', async () => {
    const connection = await fresh()
    const { id } = await connection.write('rows', (query) => addAccount(query, 'One'))
    expect(id).toBe(1)
    expect(await names(connection.read)).toEqual(['One'])
  })

  test('saves nothing of a body that failed, and throws its error', async () => {
    const connection = await fresh()
    const failing = connection.write('rows', async (query) => {
      await addAccount(query, 'Gone')
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await names(connection.read)).toEqual([])
  })

  test('fails alone among concurrent ones', async () => {
    const connection = await fresh()
    const asked = Array.from({ length: 10 }, (_, index) =>
      connection.write('rows', async (query) => {
        await addAccount(query, `n${index}`)
        if (index === 4) throw new Error('not this one')
        return index
      }),
    )
    const answers = await Promise.allSettled(asked)
    expect(answers.map((it) => it.status === 'fulfilled')).toEqual(asked.map((_, index) => index !== 4))
    expect((await names(connection.read)).sort()).toEqual(['n0', 'n1', 'n2', 'n3', 'n5', 'n6', 'n7', 'n8', 'n9'])
  })

  test('is not visible to readers before it is committed', async () => {
    const connection = await fresh()
    const seen = await connection.write('rows', async (query) => {
      await addAccount(query, 'Soon')
      return [await names(query), connection.dialect === 'sqlite' ? await names(connection.read) : []]
    })
    expect(seen).toEqual([['Soon'], []])
    expect(await names(connection.read)).toEqual(['Soon'])
  })

  test('reads what others have committed, so that no concurrent addition is lost', async () => {
    const connection = await fresh()
    const { id } = await connection.write('rows', (query) => addAccount(query, 'Counter'))
    const addOne = async (query: Query): Promise<void> => {
      const { balance } = await query
        .selectFrom('account')
        .select('balance')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      await query
        .updateTable('account')
        .set({ balance: balance + 1 })
        .where('id', '=', id)
        .execute()
    }
    await Promise.all(Array.from({ length: 40 }, () => connection.write({ account: id }, addOne)))
    const { balance } = await connection.read
      .selectFrom('account')
      .select('balance')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(balance).toBe(40)
  })

  test('runs if it is requested while another one ends', async () => {
    const connection = await fresh()
    const { id } = await connection.write('rows', (query) => addAccount(query, 'One'))
    for (let pause = 0; pause < 20; pause++) {
      await connection.write({ account: id }, names)
      for (let n = 0; n < pause; n++) await Promise.resolve()
      expect(await connection.write({ account: id }, names)).toEqual(['One'])
    }
  })

  test('that violates a unique index is reported', async () => {
    const connection = await fresh()
    const { id } = await connection.write('rows', (query) => addAccount(query, 'One'))
    const addKey = (): Promise<unknown> =>
      connection.write('rows', (query) =>
        query
          .insertInto('api_key')
          .values({ account_id: id, name: 'k', hash: 'same', last_used_at: null, created_at: 1 })
          .execute(),
      )
    await addKey()
    const failure = await addKey().catch((error: unknown) => error)
    expect(isUniqueViolation(failure)).toBe(true)
    expect(isUniqueViolation(new Error('another'))).toBe(false)
  })

  test('after closing is refused, and queued ones still run', async () => {
    const connection = await fresh()
    const last = connection.write('rows', (query) => addAccount(query, 'Last'))
    await last
    await connection.close()
    await expect(connection.write('rows', (query) => addAccount(query, 'Late'))).rejects.toThrow()
  })

  test('counts and sums are numbers', async () => {
    const connection = await fresh()
    await connection.write('rows', (query) => addAccount(query, 'One', 2_000_000))
    await connection.write('rows', (query) => addAccount(query, 'Two', 3_000_000))
    const row = await connection.read
      .selectFrom('account')
      .select((it) => [it.fn.countAll().as('count'), it.fn.sum('balance').as('sum')])
      .executeTakeFirstOrThrow()
    expect({ ...row }).toEqual({ count: 2, sum: 5_000_000 })
  })

  test('divides whole numbers as whole numbers', async () => {
    const connection = await fresh()
    await connection.write('rows', (query) => addAccount(query, 'One', 7))
    const row = await connection.read
      .selectFrom('account')
      .select((it) => it('balance', '/', 2).as('half'))
      .executeTakeFirstOrThrow()
    expect(row.half).toBe(3)
  })

  test('keeps times in microseconds and numbers up to the largest safe one exactly', async () => {
    const connection = await fresh()
    const { id } = await connection.write('rows', (query) => addAccount(query, 'One', Number.MAX_SAFE_INTEGER))
    const farAhead = Date.UTC(2199, 11, 31) * 1000 + 123_457
    await connection.write('rows', (query) =>
      query.updateTable('account').set({ created_at: farAhead }).where('id', '=', id).execute(),
    )
    const row = await connection.read.selectFrom('account').select(['balance', 'created_at']).executeTakeFirstOrThrow()
    expect({ ...row }).toEqual({ balance: Number.MAX_SAFE_INTEGER, created_at: farAhead })
  })

  test('refuses text that is too long instead of cutting it', async () => {
    const connection = await fresh()
    await expect(connection.write('rows', (query) => addAccount(query, 'cut\0here'))).rejects.toThrow()
  })

  test('runs the same statement again with other values, and with lists of any length', async () => {
    const connection = await fresh()
    for (let index = 0; index < 230; index += 23)
      await connection.write(
        'rows',
        async (query) =>
          void (await Promise.all(Array.from({ length: 23 }, (_, at) => addAccount(query, `n${index + at}`)))),
      )
    const ids = Array.from({ length: 230 }, (_, index) => index + 1)
    for (const count of [1, 99, 100, 101, 200, 230]) {
      const rows = await connection.read
        .selectFrom('account')
        .select('id')
        .where('id', 'in', ids.slice(0, count))
        .execute()
      expect(rows).toHaveLength(count)
    }
  })

  test('cannot violate the constraints of the tables', async () => {
    const connection = await fresh()
    const orphan = connection.write('rows', (query) =>
      query
        .insertInto('api_key')
        .values({ account_id: 99, name: 'k', hash: 'h', last_used_at: null, created_at: 1 })
        .execute(),
    )
    await expect(orphan).rejects.toThrow(/foreign key/i)
    const strange = connection.write('rows', (query) =>
      sql`insert into account (name, email, kind, balance, minute_rate, created_at) values ('a', 'b', 'other', 0, 0, 0)`.execute(
        query,
      ),
    )
    await expect(strange).rejects.toThrow(/check/i)
  })
})
