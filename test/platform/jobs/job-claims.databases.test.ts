import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobClaims } from '../../../src/platform/jobs/job-claims.ts'
import { scheduleJob } from '../../../src/platform/jobs/job-loop.ts'
import { insertAccount } from '../../../src/platform/store/accounts/accounts.ts'
import { accountQuery } from '../../../src/platform/store/database/account-query.ts'
import { databases } from '../../support/databases.ts'

const begin = Date.UTC(2027, 0, 31)

describe.each(databases)('claims on $name', (database) => {
  async function place() {
    const connection = await database.fresh()
    const account = async (): Promise<number> =>
      (
        await connection.write('everything', (query) =>
          insertAccount(query, {
            name: 'A',
            email: 'a@b.example',
            kind: 'tenant',
            balance: 0,
            minute_rate: 1,
            payment_method: null,
            created_at: 0,
          }),
        )
      ).id
    const add = (owner: number, count: number, { kind = 'work', from = 0 } = {}) =>
      connection.write('everything', async (query) => {
        for (let n = 0; n < count; n++)
          await scheduleJob(accountQuery(query, owner), {
            account: owner,
            kind,
            subject: `${owner} ${n}`,
            at: begin * 1000 - 5000 + from + n,
          })
      })
    const claims = createJobClaims({
      connection,
      clock: createClock(connection, () => begin),
      owner: 'here:1:a',
      isAlive: () => true,
      log: () => {},
      wall: () => begin,
      isBatched: async (kind) => kind === 'batched',
    })
    return { connection, account, add, claims }
  }
  const limits = { limit: 320, perAccount: 20, excludedAccounts: [] as number[] }
  const countBy = (rows: readonly { readonly account_id: number }[], owner: number): number =>
    rows.filter((row) => row.account_id === owner).length

  test('find the job of an account behind any number of jobs of another', async () => {
    const { account, add, claims } = await place()
    const [busy, other] = [await account(), await account()]
    await add(busy, 1500)
    await add(other, 1, { from: 2000 })
    const rows = await claims.claimFairly(limits)
    expect([countBy(rows, busy), countBy(rows, other)]).toEqual([20, 1])
  })

  test('find it while the other account has enough', async () => {
    const { account, add, claims } = await place()
    const [busy, other, later] = [await account(), await account(), await account()]
    await add(busy, 1500)
    await add(other, 2, { from: 2000 })
    await add(later, 30, { from: 3000 })
    const rows = await claims.claimFairly({ ...limits, excludedAccounts: [busy] })
    expect([countBy(rows, busy), countBy(rows, other), countBy(rows, later)]).toEqual([0, 2, 20])
    const dueAt = rows.map((row) => row.due_at)
    if (database.name === 'sqlite') expect(dueAt).toEqual([...dueAt].sort((a, b) => a - b))
    expect(countBy(await claims.claimFairly({ ...limits, excludedAccounts: [busy] }), later)).toBe(10)
    expect(await claims.claimFairly({ ...limits, excludedAccounts: [busy, other, later] })).toEqual([])
  })

  // A database file has one server, which claims in the order of time.
  test.runIf(database.name === 'postgres')(
    'give every account its turn within one round, whatever the others have (seeded)',
    async () => {
      const seed = Date.now() % 2_147_483_647
      let state = seed
      const random = (max: number): number => {
        state = (state * 48_271) % 2_147_483_647
        return state % max
      }
      const { connection, account, add, claims } = await place()
      const left = new Map<number, number>()
      for (let n = 0; n < 60; n++) {
        const jobs = n === 7 ? 1300 : 1 + random(12)
        const id = await account()
        await add(id, jobs, { from: random(4000) })
        left.set(id, jobs)
      }
      /** Turns of others since the last one of an account, and how many accounts had jobs then. */
      const waiting = new Map([...left.keys()].map((id) => [id, { turns: 0, round: left.size }]))
      while (left.size > 0) {
        const perAccount = 1 + random(20)
        const limit = perAccount * (1 + random(3))
        const rows = await claims.claimFairly({ limit, perAccount, excludedAccounts: [] })
        expect(rows.length, `seed ${seed}`).toBeLessThanOrEqual(limit)
        await connection.write('everything', (query) =>
          query.deleteFrom('due').where('lease_owner', '=', 'here:1:a').execute(),
        )
        const round = left.size
        for (const [id, jobs] of left) {
          const leased = countBy(rows, id)
          expect(leased, `seed ${seed}`).toBeLessThanOrEqual(perAccount)
          const before = waiting.get(id) as { turns: number; round: number }
          const turns = leased > 0 ? 0 : before.turns + Math.floor(limit / perAccount)
          waiting.set(id, { turns, round: leased > 0 ? round : before.round })
          expect(turns, `account ${id}, seed ${seed}`).toBeLessThanOrEqual(before.round)
          if (leased < jobs) left.set(id, jobs - leased)
          else left.delete(id)
        }
      }
      expect((await sql`select from due`.execute(connection.read)).rows).toEqual([])
    },
  )

  // Rows of SQLite have no locks, and on shards each account is claimed in a transaction of its own.
  test.runIf(database.name === 'postgres' && !process.env.PARLEY_TEST_CITUS)(
    'lock no row but the leased ones',
    async () => {
      const { connection, account, add, claims } = await place()
      for (let n = 0; n < 30; n++) await add(await account(), 50)
      const rows = await claims.claimFairly(limits)
      expect(rows).toHaveLength(320)
      const touched = await sql`select from due where xmax <> 0 or lease_owner is not null`.execute(connection.read)
      expect(touched.rows).toHaveLength(320)
    },
  )
})
