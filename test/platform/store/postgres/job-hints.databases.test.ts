import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { scheduleJob } from '../../../../src/platform/jobs/job-loop.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import type { PostgresOptions } from '../../../../src/platform/store/postgres/settings.ts'
import { databases, type TestDatabase } from '../../../support/databases.ts'
import { order } from '../../../support/servers/postgres-server.ts'

const postgres = databases.find((it) => it.name === 'postgres')

// A database file has one server. On shards there are no hints: all servers would look for what the first one has started already.
describe.runIf(postgres && !process.env.PARLEY_TEST_CITUS)(
  'servers of one PostgreSQL database tell each other of scheduled jobs',
  () => {
    /** Two servers, and what the second one hears. */
    async function servers(options: PostgresOptions = {}) {
      const { url } = (await (postgres as TestDatabase).target()) as { url: string }
      const [first, second] = [await openStore({ url }), await openPostgres(url, options)]
      onTestFinished(async () => {
        await first.close()
        await second.close()
      })
      await order(
        url,
        "insert into account (id, name, email, kind, balance, minute_rate, created_at) values (1, 'A', 'a@b.example', 'tenant', 0, 1, 0) on conflict do nothing",
      )
      await second.read.selectFrom('meta').selectAll().execute()
      const heard = vi.fn()
      second.watchJobs?.(heard)
      for (const server of [first, second]) server.exchangeJobHints?.()
      return { url, first, second, heard }
    }
    const listening = async ({ read }: Pick<Connection, 'read'>, count: number): Promise<void> =>
      expect
        .poll(async () => {
          const { rows } = await sql`select from pg_stat_activity
          where query = 'listen parley_jobs' and datname = current_database()`.execute(read)
          return rows.length
        })
        .toBe(count)
    const schedule = ({ write }: Pick<Connection, 'write'>, lease?: { owner: string; wall: number }) =>
      write({ account: 1 }, (query) =>
        scheduleJob(query, { account: 1, kind: 'test', subject: 'of another server', at: 1, ...(lease && { lease }) }),
      )

    test('so that none waits for its next look', async () => {
      const { first, heard } = await servers()
      await listening(first, 2)
      await schedule(first)
      await expect.poll(() => heard.mock.calls).toEqual([[undefined]])
    })

    test('but not of jobs that they run themselves, and no server hears itself twice', async () => {
      const { first, second, heard } = await servers()
      await listening(first, 2)
      await schedule(second)
      await schedule(first, { owner: 'here:1:a', wall: 0 })
      expect(heard.mock.calls).toEqual([[1]])
      await schedule(first)
      await expect.poll(() => heard.mock.calls).toEqual([[1], [undefined]])
    })

    test('but not of jobs that were not saved', async () => {
      const { first, heard } = await servers()
      const own = vi.fn()
      first.watchJobs?.(own)
      await listening(first, 2)
      const failed = first.write({ account: 1 }, async (query) => {
        await scheduleJob(query, { account: 1, kind: 'test', subject: 'not saved', at: 1 })
        throw new Error('It is not saved.')
      })
      await expect(failed).rejects.toThrow('It is not saved.')
      expect([own.mock.calls, heard.mock.calls]).toEqual([[], []])
      await schedule(first)
      await expect.poll(() => heard.mock.calls).toEqual([[undefined]])
      expect(own.mock.calls).toEqual([[1]])
    })

    test('of many jobs with few hints', async () => {
      const { first, heard } = await servers()
      await listening(first, 2)
      for (let n = 0; n < 200; n++) await schedule(first)
      await expect.poll(() => heard.mock.calls.length).toBeGreaterThan(1)
      expect(heard.mock.calls.length).toBeLessThan(100)
    })

    test('again after their sessions were ended', async () => {
      const { first, heard } = await servers()
      await listening(first, 2)
      const ended = await sql<{ pid: number }>`select pid, pg_terminate_backend(pid) from pg_stat_activity
      where query = 'listen parley_jobs' and datname = current_database()`.execute(first.read)
      const left = async (): Promise<unknown[]> =>
        (await sql`select from pg_stat_activity where pid = any(${ended.rows.map((it) => it.pid)})`.execute(first.read))
          .rows
      await expect.poll(left).toEqual([])
      await listening(first, 2)
      await schedule(first)
      await expect.poll(() => heard.mock.calls.length).toBeGreaterThan(0)
    }, 30_000)

    test('behind a pooler only over a direct address', async () => {
      const pooled = await servers({ isPooled: true })
      await listening(pooled.first, 1)
      const direct = await servers({ isPooled: true, directUrl: pooled.url })
      await listening(pooled.first, 2)
      expect(direct.heard).not.toHaveBeenCalled()
    })
  },
)
