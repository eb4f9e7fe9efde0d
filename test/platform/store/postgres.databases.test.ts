import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { acrossAccounts } from '../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../src/platform/store/database/migrate.ts'
import { openPostgres } from '../../../src/platform/store/postgres/open-postgres.ts'
import type { PostgresOptions } from '../../../src/platform/store/postgres/settings.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases, onOnePostgres } from '../../support/databases.ts'

describe.each(databases)('transactions on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('is the subject of transactions.databases.test.ts')

  async function openNew(options: PostgresOptions = {}): Promise<{ store: Connection; url: string }> {
    const { url } = (await target()) as { url: string }
    const store = await reopen(url, options)
    await store.write('everything', async (query) => {
      for (const name of ['a', 'b'])
        await query
          .insertInto('account')
          .values({ name, email: '', kind: 'tenant', balance: 0, minute_rate: 0, payment_method: null, created_at: 0 })
          .execute()
    })
    return { store, url }
  }

  async function reopen(url: string, options: PostgresOptions = {}): Promise<Connection> {
    const store = await openPostgres(url, options)
    afterFile(() => store.close())
    await migrate(store)
    return store
  }

  const balance = async (store: Connection, account = 1): Promise<number> =>
    (await store.read.selectFrom('account').select('balance').where('id', '=', account).executeTakeFirstOrThrow())
      .balance

  /** Adds one to the balance in two statements: the result depends on what was read. */
  const addOne = (store: Connection, account = 1): Promise<void> =>
    store.write({ account }, async (query) => {
      const row = await query
        .selectFrom('account')
        .select('balance')
        .where('id', '=', account)
        .executeTakeFirstOrThrow()
      await query
        .updateTable('account')
        .set({ balance: row.balance + 1 })
        .where('id', '=', account)
        .execute()
    })

  it('of one account never overwrite each other, also not those of several servers', async () => {
    const { store, url } = await openNew()
    const other = await reopen(url)
    await Promise.all(Array.from({ length: 200 }, (_, n) => addOne(n % 2 === 0 ? store : other)))
    expect(await balance(store)).toBe(200)
  })

  onOnePostgres('it is refused there')(
    'of several servers never overwrite each other with serializable isolation',
    async () => {
      const { store, url } = await openNew({ isolation: 'serializable' })
      const other = await reopen(url, { isolation: 'serializable' })
      await Promise.all(Array.from({ length: 20 }, (_, n) => addOne(n % 2 === 0 ? store : other)))
      expect(await balance(store)).toBe(20)
    },
  )

  it('share a COMMIT, and one that fails takes only its own changes back', async () => {
    const { store } = await openNew()
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        store.write({ account: 1 }, async (query) => {
          await query
            .updateTable('account')
            .set((row) => ({ balance: row('balance', '+', 1) }))
            .where('id', '=', 1)
            .execute()
          if (n % 3 === 0) throw new Error(`no ${n}`)
          if (n % 3 === 1)
            await query
              .insertInto('account')
              .values({ id: 1 } as never)
              .execute()
        }),
      ),
    )
    expect(results.filter((it) => it.status === 'fulfilled')).toHaveLength(10)
    expect(await balance(store)).toBe(10)
  })

  it('that ignore the error of a statement save nothing', async () => {
    const { store } = await openNew()
    const ignoring = store.write({ account: 1 }, async (query) => {
      await query.updateTable('account').set({ balance: 5 }).where('id', '=', 1).execute()
      await query
        .insertInto('account')
        .values({ id: 1 } as never)
        .execute()
        .catch(() => {})
    })
    await expect(ignoring).rejects.toThrow()
    expect(await balance(store)).toBe(0)
  })

  for (const isPooled of [false, true])
    it(`reject with the first error when statements are sent together, and run them again later, ${isPooled ? 'pooled' : 'not pooled'}`, async () => {
      const { store } = await openNew({ connections: 2, isPooled })
      const together = (id: number) =>
        store.write({ account: 1 }, (query) =>
          Promise.all([
            query.updateTable('account').set({ balance: 5 }).where('id', '=', 1).execute(),
            query
              .insertInto('account')
              .values({ id, name: 'c', email: '', kind: 'tenant', balance: 0, minute_rate: 0, created_at: 0 })
              .execute(),
            acrossAccounts(query)
              .selectFrom('account')
              .select(['id', 'balance'])
              .where('id', '>', 0)
              .orderBy('id')
              .execute(),
          ]),
        )
      await expect(together(1)).rejects.toMatchObject({ code: '23505' })
      expect(await balance(store)).toBe(0)
      const [, , rows] = await together(3)
      expect(rows).toEqual([
        { id: 1, balance: 5 },
        { id: 2, balance: 0 },
        { id: 3, balance: 0 },
      ])
      // One transaction of a shared COMMIT fails, and the others are saved.
      const [failed, saved] = await Promise.allSettled([together(1), addOne(store)])
      expect([failed?.status, saved?.status]).toEqual(['rejected', 'fulfilled'])
      expect(await balance(store)).toBe(6)
    })

  it('that hold everything exclude those of accounts and names', async () => {
    const { store, url } = await openNew()
    const other = await reopen(url)
    const order: string[] = []
    let finish = (): void => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const first = store.write('everything', async (query) => {
      order.push('everything begins')
      await finished
      await query.updateTable('account').set({ balance: 1 }).execute()
      order.push('everything ends')
    })
    await expect.poll(() => order).toEqual(['everything begins'])
    const rest = [
      other.write({ account: 2 }, async (query) => {
        await query.selectFrom('account').select('id').execute()
        order.push('account')
      }),
      other.write({ name: 'x' }, async (query) => {
        await query.selectFrom('account').select('id').execute()
        order.push('name')
      }),
    ]
    await waitForLocks(url, 2)
    finish()
    await Promise.all([first, ...rest])
    expect(order[1]).toBe('everything ends')
    expect(order).toHaveLength(4)
  })

  it('see the clock as another server has changed it, without reading it again', async () => {
    const { store, url } = await openNew()
    const other = await reopen(url)
    const { readClock, writeClock } = await import('../../../src/platform/store/runtime/clock.ts')
    const read = (): Promise<number | null | undefined> =>
      store.write({ account: 1 }, async (query) => (await readClock(query))?.frozen_at)
    expect(await read()).toBe(null)
    await other.write('everything', (query) => writeClock(query, { frozen_at: 7, offset: 0 }))
    expect(await read()).toBe(7)
    await store.write('everything', async (query) => {
      await writeClock(query, { frozen_at: 8, offset: 0 })
      expect((await readClock(query))?.frozen_at).toBe(8)
    })
    expect(await read()).toBe(8)
  })

  it('are repeated when their connection is ended before the commit', async () => {
    const { store, url } = await openNew()
    let runs = 0
    await store.write({ account: 1 }, async (query) => {
      runs++
      const rows = await query.selectFrom('account').select('balance').where('id', '=', 1).execute()
      if (runs === 1) await endConnections(url)
      await query
        .updateTable('account')
        .set({ balance: Number(rows[0]?.balance) + 1 })
        .where('id', '=', 1)
        .execute()
    })
    expect(runs).toBe(2)
    expect(await balance(store)).toBe(1)
  })

  it.each([
    ['reached the server', true],
    ['never reached the server', false],
  ])('whose COMMIT has no answer are saved exactly once: it %s', async (_, isForwarded) => {
    const { url } = await openNew()
    const proxy = await startProxy(url)
    const store = await reopen(proxy.url)
    await addOne(store)
    proxy.loseNext('commit', { isForwarded })
    await addOne(store)
    expect(proxy.lost()).toBe(1)
    expect(await balance(store)).toBe(2)
  })

  it('reject as unreachable, and the process continues, while the database is away', async () => {
    const { url } = await openNew()
    const proxy = await startProxy(url)
    const store = await reopen(proxy.url, { reconnectMs: 200 })
    await addOne(store)
    proxy.stop()
    await expect(addOne(store)).rejects.toMatchObject({ reason: 'unreachable' })
    await expect(balance(store)).rejects.toMatchObject({ reason: 'unreachable' })
    await proxy.start()
    await addOne(store)
    expect(await balance(store)).toBe(2)
  })

  it('use a new connection after a failed read, so that reads survive a restart', async () => {
    const { store, url } = await openNew()
    expect(await balance(store)).toBe(0)
    await endConnections(url)
    expect(await balance(store)).toBe(0)
  })
})

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Ends all connections of Parley to a database. */
const endConnections = (url: string): Promise<unknown> =>
  withClient(url, (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'parley'",
    ),
  )

/** Waits until several connections wait for a lock. */
const waitForLocks = (url: string, count: number): Promise<void> =>
  withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      if (rows[0].n >= count) return
    }
  })

/** Forwards connections to a database, and cuts them on request. */
async function startProxy(url: string) {
  const to = new URL(url)
  const sockets = new Set<Socket>()
  let lossOf: { text: string; isForwarded: boolean } | undefined
  let lost = 0
  const server = createServer((client) => {
    const upstream = dial(Number(to.port), to.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (chunk) => {
      if (lossOf && chunk.includes(lossOf.text)) {
        const { isForwarded } = lossOf
        lossOf = undefined
        lost++
        if (!isForwarded) {
          client.destroy()
          upstream.destroy()
          return
        }
        // The server carries it out, and its answer is lost.
        upstream.removeAllListeners('data')
        upstream.once('data', () => {
          client.destroy()
          upstream.destroy()
        })
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => client.write(chunk))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  afterFile(stop)
  const through = new URL(url)
  through.port = String(port)
  return {
    url: through.href,
    stop,
    start: () => listen(port),
    lost: () => lost,
    loseNext(text: string, options: { isForwarded: boolean }) {
      lossOf = { text, ...options }
    },
  }
}
