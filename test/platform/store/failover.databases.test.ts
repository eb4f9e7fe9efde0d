import { describe, expect, it } from 'vitest'
import { isError } from '../../../src/node/is-error.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../src/platform/store/database/migrate.ts'
import { openPostgres } from '../../../src/platform/store/postgres/open-postgres.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases } from '../../support/databases.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { startWithStandby } from '../../support/servers/postgres-standby.ts'

describe.each(databases)('a failover of $name', ({ name }) => {
  if (name === 'sqlite') return it.skip('does not exist: the database is a file')

  const balance = async (store: Connection): Promise<number> =>
    (await store.read.selectFrom('account').select('balance').where('id', '=', 1).executeTakeFirstOrThrow()).balance

  const addOne = (store: Connection): Promise<void> =>
    store.write({ account: 1 }, async (query) => {
      await query
        .updateTable('account')
        .set((row) => ({ balance: row('balance', '+', 1) }))
        .where('id', '=', 1)
        .execute()
    })

  it('to its standby loses nothing that was acknowledged and repeats nothing, twice in a row', async () => {
    const server = await startWithStandby()
    afterFile(() => server.stop())
    await order(server.url, 'create database parley')
    const store = await openPostgres(databaseUrl(server.url, 'parley'), { reconnectMs: 30_000 })
    afterFile(() => store.close())
    await migrate(store)
    await store.write('everything', async (query) => {
      await query
        .insertInto('account')
        .values({
          name: 'a',
          email: '',
          kind: 'tenant',
          balance: 0,
          minute_rate: 0,
          payment_method: null,
          created_at: 0,
        })
        .execute()
    })

    const counts = { acknowledged: 0, unknown: 0 }
    let isOver = false
    const client = async (): Promise<void> => {
      while (!isOver)
        await addOne(store).then(
          () => counts.acknowledged++,
          (error: unknown) => {
            if (!isError(error) || (error as { reason?: string }).reason !== 'unreachable') throw error
            counts.unknown++
          },
        )
    }
    const clients = Promise.all([client(), client(), client(), client()])
    for (let n = 0; n < 2; n++) {
      const before = counts.acknowledged
      await expect.poll(() => counts.acknowledged).toBeGreaterThan(before + 50)
      await server.failOver()
    }
    const before = counts.acknowledged
    await expect.poll(() => counts.acknowledged).toBeGreaterThan(before + 50)
    isOver = true
    await clients
    const saved = await balance(store)
    expect(saved).toBeGreaterThanOrEqual(counts.acknowledged)
    expect(saved).toBeLessThanOrEqual(counts.acknowledged + counts.unknown)
  })
})
