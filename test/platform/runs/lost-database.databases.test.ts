import { describe, expect, test } from 'vitest'
import { minute } from '../../../src/contract/values/micros.ts'
import { runJobKind } from '../../../src/platform/store/automations/runs.ts'
import { accountQuery } from '../../../src/platform/store/database/account-query.ts'
import { StoreError } from '../../../src/platform/store/database/store-error.ts'
import { insertJob, renewLeasesOf } from '../../../src/platform/store/runtime/scheduled-jobs.ts'
import { databases } from '../../support/databases.ts'
import { bench, chain, type Does, done } from './fake-steps.ts'

describe.each(databases)('a run on $name', ({ fresh }) => {
  test('continues a step during which the database could not be used, and does not show its place', async () => {
    let tries = 0
    const problems: string[] = []
    const lost: Does = () => {
      if (++tries === 1) throw new StoreError('unreachable', 'The database 10.0.0.7/parley cannot be reached.')
      return done(tries)
    }
    const { run, see, due, clock } = await bench(await fresh(), { extra: { lost }, problems })
    const id = await run(chain({ name: 'step_1', does: 'lost' }))
    expect(problems.join()).toContain('10.0.0.7')
    expect((await see(id)).outcome).not.toContain('FAILED')
    await clock.advance(5 * minute)
    await due.drain()
    const { outcome, steps } = await see(id)
    expect(outcome).toBe('SUCCEEDED step_1:SUCCEEDED*2')
    expect(steps[0]).toMatchObject({ output: '2', error: null })
  })

  test('continues as soon as the database is back, and does not count as one during which the process died', async () => {
    const connection = await fresh()
    const database = { isAway: false }
    const time = { ms: Date.UTC(2027, 0, 31) }
    const problems: string[] = []
    const away = new StoreError('unreachable', 'The database cannot be reached.')
    let tries = 0
    const lost: Does = () => {
      if (++tries > 1) return done(tries)
      database.isAway = true
      throw away
    }
    const { run, see, due } = await bench(
      {
        ...connection,
        write: (scope, body) => (database.isAway ? Promise.reject(away) : connection.write(scope, body)),
      },
      { extra: { lost }, problems, wall: () => time.ms },
    )
    const id = await run(chain({ name: 'step_1', does: 'lost' }))
    expect(problems).toContain(`run ${id}: The database cannot be reached.`)
    database.isAway = false
    const since = time.ms
    const loop = due.start()
    const outcome = async (): Promise<string> => {
      time.ms += 50
      return (await see(id)).outcome
    }
    await expect.poll(outcome, { timeout: 25_000 }).toBe('SUCCEEDED step_1:SUCCEEDED*2')
    await loop.stop()
    expect(time.ms - since).toBeLessThan(30_000)
    expect((await see(id)).run).toMatchObject({ stalls: 0, claims: 2 })
  })

  test('that is not held loses its lease, although others of its process are renewed', async () => {
    const { write, read } = await fresh()
    await write('everything', async (query) => {
      const account = { id: 1, name: 'A', email: 'a@b.example', kind: 'tenant', payment_method: null } as const
      await query
        .insertInto('account')
        .values({ ...account, balance: 0, minute_rate: 0, created_at: 0 })
        .execute()
      for (const subject of ['held', 'lost'])
        await insertJob(accountQuery(query, 1), {
          ...{ account_id: 1, kind: runJobKind, subject, due_at: 0, attempts: 0 },
          ...{ lease_owner: 'here:1:a', lease_until: 10 },
        })
      await renewLeasesOf(query, runJobKind, ['held'], { owner: 'here:1:a', until: 20 })
    })
    const leases = await read.selectFrom('due').select(['subject', 'lease_until']).orderBy('id').execute()
    expect(leases.map((row) => row.lease_until)).toEqual([20, 10])
  })
})
