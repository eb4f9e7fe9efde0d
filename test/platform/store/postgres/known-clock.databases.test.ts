import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { readClock } from '../../../../src/platform/store/runtime/clock.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres } from '../../../support/databases.ts'
import { watchStatements } from '../../../support/servers/sent-statements.ts'

describe.each(databases)('transactions that rely on a clock that was read before, on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('read it in the process')

  const sentDuring = watchStatements()

  const newUrl = async (): Promise<string> => ((await target()) as { url: string }).url

  /** Opens the same database as several servers do. It has account 1. */
  async function servers(count: number, url?: string): Promise<Connection[]> {
    url ??= await newUrl()
    const opened = await Promise.all(Array.from({ length: count }, () => openPostgres(url, { connections: 4 })))
    afterFile(() => Promise.all(opened.map((it) => it.close())))
    await migrate(opened[0] as (typeof opened)[0])
    await opened[0]?.write('everything', (query) =>
      query
        .insertInto('account')
        .values({
          name: 'one',
          email: '',
          kind: 'tenant',
          balance: 0,
          minute_rate: 0,
          payment_method: null,
          created_at: 0,
        })
        .execute(),
    )
    return opened
  }

  /** Adds 1 to the balance. Returns it, and whether the transaction saw a frozen clock. */
  const add = (connection: Connection): Promise<{ readonly balance: number; readonly isFrozen: boolean }> =>
    connection.write({ account: 1 }, async (query) => {
      const row = await readClock(query)
      const { balance } = await query
        .updateTable('account')
        .set((it) => ({ balance: it('balance', '+', 1) }))
        .returning('balance')
        .executeTakeFirstOrThrow()
      return { balance, isFrozen: row?.frozen_at !== null }
    })

  it('do not read it each, and read a frozen one each', async () => {
    const [server] = (await servers(1)) as [Connection]
    const clock = createClock(server, Date.now)
    const clockReads = async (): Promise<number> => {
      const { statements } = await sentDuring(async () => {
        for (let n = 0; n < 200; n++) await add(server)
      })
      return statements.filter((it) => it === 'select clock').length
    }
    expect(await clockReads()).toBeLessThan(200)
    await clock.freeze()
    expect(await clockReads()).toBeGreaterThanOrEqual(200)
  })

  onOnePostgres('a lock on the coordinator does not wait for one on a node')(
    'read it again if it was changed while they waited for their lock',
    async () => {
      const url = await newUrl()
      const [server] = (await servers(1, url)) as [Connection]
      const other = new pg.Client({ connectionString: url })
      await other.connect()
      afterFile(() => other.end())
      await add(server)
      await other.query('begin; lock table account in exclusive mode')
      const waiting = add(server)
      await other.query('select pg_sleep(0.15); update clock set frozen_at = 1; commit')
      expect(await waiting).toMatchObject({ isFrozen: true })
    },
  )

  it('never see the wall time after one that saw a changed clock, nor once the change is answered', async () => {
    const [first, second, third] = (await servers(3)) as [Connection, Connection, Connection]
    const clock = createClock(third, Date.now)
    for (let round = 0; round < 3; round++) {
      const added: { readonly balance: number; readonly isFrozen: boolean; readonly isAfter: boolean }[] = []
      const change = { isAnswered: false, left: 20 }
      const addOften = async (server: Connection): Promise<void> => {
        while (change.left > 0) {
          const isAfter = change.isAnswered
          if (isAfter) change.left--
          added.push({ ...(await add(server)), isAfter })
        }
      }
      const adding = Promise.all([addOften(first), addOften(second)])
      await expect.poll(() => added.length).toBeGreaterThan(20)
      await clock.freeze()
      change.isAnswered = true
      await adding
      added.sort((a, b) => a.balance - b.balance)
      const firstFrozen = added.findIndex((it) => it.isFrozen)
      expect(added.slice(firstFrozen).filter((it) => !it.isFrozen)).toEqual([])
      expect(added.filter((it) => it.isAfter && !it.isFrozen)).toEqual([])
      await clock.resume()
    }
  })
})
