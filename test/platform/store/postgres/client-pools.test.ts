import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ExclusiveClients, SharedClients } from '../../../../src/platform/store/postgres/client-pools.ts'
import { PostgresClient } from '../../../../src/platform/store/postgres/postgres-client.ts'

/** A connection to a database that never answers. */
const connect = async (): Promise<PostgresClient> =>
  new PostgresClient(new pg.Client(), { where: 'nowhere', isPooled: false })

/** Lets everything that can happen now happen. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 100; n++) await Promise.resolve()
}

describe('connections of transactions', () => {
  /** Connections of a pool, and the accounts that have got one, in this order. */
  function place(max: number) {
    const pool = new ExclusiveClients(connect, max)
    const got: { readonly account: number; readonly release: () => void }[] = []
    const take = (kind: 'locking' | 'short', account: number, count = 1): void => {
      for (let n = 0; n < count; n++)
        void pool
          .acquire(kind, account)
          .then((client) => got.push({ account, release: () => pool.release(client, kind, account) }))
    }
    return { pool, got, take }
  }

  test('are not all used by the short transactions of one account', async () => {
    const { got, take } = place(6)
    take('short', 1, 100)
    await settle()
    expect(got.map((it) => it.account)).toEqual([1, 1, 1])
    take('short', 2)
    take('locking', 0)
    await settle()
    expect(got.slice(3).map((it) => it.account)).toEqual([2, 0])
  })

  test('go to the accounts in turn, when all are in use', async () => {
    const { pool, got, take } = place(2)
    take('locking', 0)
    take('short', 1, 4)
    take('short', 2, 2)
    await settle()
    expect(pool.load).toEqual({ used: 2, max: 2, waiting: 5 })
    for (let n = 1; n < 4; n++) {
      got[n]?.release()
      await settle()
    }
    expect(got.slice(1).map((it) => it.account)).toEqual([1, 1, 2, 1])
  })

  test('are given to transactions with locks as well, however many short ones wait', async () => {
    const { got, take } = place(4)
    for (let account = 1; account <= 50; account++) take('short', account)
    take('locking', 0)
    await settle()
    expect(got).toHaveLength(4)
    for (let n = 0; n < 2; n++) got[n]?.release()
    await settle()
    expect(got.map((it) => it.account)).toContain(0)
  })
})

describe('connections for reads', () => {
  /** Sends statements of an account, each in its own turn, as requests do that arrive one after the other. */
  async function ask(pool: SharedClients, account: number, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      void pool.execute(`select ${n}`, [], account)
      await settle()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  test('carry no statements of an account that has many unanswered ones, but for one connection less', async () => {
    const pool = new SharedClients(connect, 3)
    await ask(pool, 1, 60)
    expect(pool.load).toEqual({ open: 3, max: 3, outstanding: 60 })
    const free = await pool.pick(2)
    expect(free.outstanding).toBe(0)
    const busy = await pool.pick(1)
    expect(busy.outstanding).toBeGreaterThan(20)
  })

  test('are all used by several accounts', async () => {
    const pool = new SharedClients(connect, 3)
    for (let n = 0; n < 10; n++) for (const account of [1, 2, 3]) await ask(pool, account, 1)
    expect(pool.load).toEqual({ open: 3, max: 3, outstanding: 30 })
    expect((await pool.pick(4)).outstanding).toBeGreaterThan(7)
  })

  test('send a statement behind many of others in this turn only if all connections have as many', async () => {
    const pool = new SharedClients(connect, 3)
    await ask(pool, 1, 3)
    for (let n = 0; n < 20; n++) void pool.execute(`select ${n}`, [], 1)
    await settle()
    expect((await pool.pick(2)).outstanding).toBe(0)
  })

  test('are used as before by the only account of a pool with one connection', async () => {
    const pool = new SharedClients(connect, 1)
    await ask(pool, 1, 5)
    await ask(pool, 2, 5)
    expect(pool.load).toEqual({ open: 1, max: 1, outstanding: 10 })
  })
})
