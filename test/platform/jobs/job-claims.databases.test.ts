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
    return { account, add, claims }
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
})
