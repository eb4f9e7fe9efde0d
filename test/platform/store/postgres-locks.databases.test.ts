import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { migrate } from '../../../src/platform/store/database/migrate.ts'
import { openPostgres } from '../../../src/platform/store/postgres/open-postgres.ts'
import { recordHeartbeat } from '../../../src/platform/store/runtime/server-nodes.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases, onOnePostgres } from '../../support/databases.ts'

describe.each(databases)('locks on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('is the subject of transactions.databases.test.ts')

  onOnePostgres('the coordinator does not see who waits for a lock on a node')(
    'heartbeats are recorded while transactions of many accounts wait for locks that a stopped server holds',
    async () => {
      const { url } = (await target()) as { url: string }
      const store = await openPostgres(url, { connections: 4 })
      afterFile(() => store.close())
      await migrate(store)
      const accounts = [1, 2, 3, 4, 5, 6]
      await store.write('everything', async (query) => {
        for (const name of accounts.map(String))
          await query
            .insertInto('account')
            .values({
              name,
              email: '',
              kind: 'tenant',
              balance: 0,
              minute_rate: 0,
              payment_method: null,
              created_at: 0,
            })
            .execute()
      })
      const stopped = new pg.Client({ connectionString: url })
      await stopped.connect()
      afterFile(() => stopped.end())
      await stopped.query('begin; select id from account for update')
      const waiting = accounts.map((account) =>
        store.write({ account }, (query) =>
          query.updateTable('account').set({ balance: 1 }).where('id', '=', account).execute(),
        ),
      )
      await expect
        .poll(
          async () =>
            (
              await stopped.query(
                "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
              )
            ).rowCount,
        )
        .toBeGreaterThan(0)
      const node = { host: '', pid: 1, version: '', url: null, status: 'ready', started_at: 0, seen_at: 7 } as const
      await store.write('rows', (query) => recordHeartbeat(query, { id: 'one', ...node }))
      expect(await store.read.selectFrom('server_node').select('seen_at').execute()).toEqual([{ seen_at: 7 }])
      await stopped.query('rollback')
      await Promise.all(waiting)
      expect(await store.read.selectFrom('account').select('balance').where('balance', '=', 1).execute()).toHaveLength(
        6,
      )
    },
  )
})
