import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { realTime } from '../../../../src/node/real-time.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres } from '../../../support/databases.ts'

const ids = Array.from({ length: 12 }, (_, n) => n + 1)

describe.each(databases)('transactions of several accounts on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('run one at a time')

  async function opened() {
    const { url } = (await target()) as { url: string }
    const store = await openPostgres(url, { connections: 4 })
    afterFile(() => store.close())
    await migrate(store)
    await store.write('everything', async (query) => {
      for (const id of ids)
        await query
          .insertInto('account')
          .values({
            name: String(id),
            email: '',
            kind: 'tenant',
            balance: 0,
            minute_rate: 0,
            payment_method: null,
            created_at: 0,
          })
          .execute()
    })
    const add = (account: number, fail = false): Promise<unknown> =>
      store.write({ account }, async (query) => {
        const { balance } = await query
          .selectFrom('account')
          .select('balance')
          .where('id', '=', account)
          .executeTakeFirstOrThrow()
        await query
          .updateTable('account')
          .set({ balance: balance + 1 })
          .where('id', '=', account)
          .execute()
        if (fail) throw new Error(`refused ${account}`)
      })
    const balances = async () =>
      (await store.read.selectFrom('account').select('balance').orderBy('id').execute()).map((it) => it.balance)
    return { url, store, add, balances }
  }

  it('share a COMMIT, and none is lost or carried out twice', async () => {
    const { store, add, balances } = await opened()
    const before = store.statistics?.().transactions.committed ?? 0
    const writes = Array.from({ length: 10 }, () => ids.map((it) => add(it))).flat()
    await Promise.all(writes)
    expect(await balances()).toEqual(ids.map(() => 10))
    // How many share one depends on how busy the machine is.
    expect((store.statistics?.().transactions.committed ?? 0) - before).toBeLessThan(writes.length)
  })

  onOnePostgres('each account has a transaction of its own')(
    'run at the same time, so that their statements are sent together',
    async () => {
      const { store, balances } = await opened()
      const before = store.statistics?.().transactions.committed ?? 0
      let missing = ids.length
      let begin = (): void => {}
      const all = new Promise<void>((resolve) => {
        begin = resolve
      })
      const write = (account: number): Promise<unknown> =>
        store.write({ account }, async (query) => {
          if (--missing === 0) begin()
          await all
          await query.updateTable('account').set({ balance: account }).where('id', '=', account).execute()
        })
      await Promise.all(ids.map(write))
      expect(await balances()).toEqual(ids)
      expect((store.statistics?.().transactions.committed ?? 0) - before).toBe(1)
    },
  )

  onOnePostgres('each account has a transaction of its own')(
    'share a COMMIT when they begin in one turn of the event loop, one after the other',
    async () => {
      // On a busy machine, transactions would count as slow, and those run alone.
      const time = vi.spyOn(realTime, 'monotonicMs').mockReturnValue(realTime.monotonicMs())
      afterFile(() => time.mockRestore())
      const { store, add, balances } = await opened()
      const before = store.statistics?.().transactions.committed ?? 0
      const addLater = async (account: number): Promise<void> => {
        for (let n = 0; n < account * 10; n++) await undefined
        await add(account)
      }
      await Promise.all(ids.map(addLater))
      expect(await balances()).toEqual(ids.map(() => 1))
      expect((store.statistics?.().transactions.committed ?? 0) - before).toBe(1)
    },
  )

  it('fail alone: an error of one account has no effect on the others', async () => {
    const { add, balances } = await opened()
    const settled = await Promise.allSettled(ids.flatMap((it) => [add(it), add(it, it % 3 === 0), add(it)]))
    const refused = settled.filter((it) => it.status === 'rejected').map((it) => String(it.reason))
    expect(refused).toEqual(ids.filter((it) => it % 3 === 0).map((it) => `Error: refused ${it}`))
    expect(await balances()).toEqual(ids.map((it) => (it % 3 === 0 ? 2 : 3)))
  })

  it('do not wait for an account that another server has locked', async () => {
    const { url, add, balances } = await opened()
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    afterFile(() => other.end())
    await other.query('begin; select id from account where id = 5 for no key update')
    const blocked = add(5)
    await Promise.all(Array.from({ length: 5 }, () => ids.filter((it) => it !== 5).map((it) => add(it))).flat())
    expect((await balances())[4]).toBe(0)
    await other.query('rollback')
    await blocked
    expect(await balances()).toEqual(ids.map((it) => (it === 5 ? 1 : 5)))
  })

  it('run again when the connection of a group is lost', async () => {
    const { url, add, balances } = await opened()
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    afterFile(() => other.end())
    const writes = Array.from({ length: 20 }, () => ids.map((it) => add(it))).flat()
    for (let n = 0; n < 3; n++) {
      await other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      )
      await add(1)
    }
    await Promise.all(writes)
    expect(await balances()).toEqual(ids.map((it) => (it === 1 ? 23 : 20)))
  })

  it.each([{ account: 1 }, { name: 'a number' }, 'rows', 'everything'] as const)(
    'of %j are refused when the database cannot be reached',
    async (scope) => {
      const store = await openPostgres('postgres://nobody@127.0.0.1:1/none', { connections: 4, reconnectMs: 50 })
      afterFile(() => store.close())
      const writes = [1, 2].map(() => store.write(scope, async () => {}))
      for (const outcome of await Promise.allSettled(writes))
        expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreError', reason: 'unreachable' } })
    },
  )

  it('of an account that does not exist run as well', async () => {
    const { store, add } = await opened()
    const missing = store.write({ account: 999 }, async () => 'ran')
    await Promise.all([...ids.map((it) => add(it)), missing])
    expect(await missing).toBe('ran')
  })
})
