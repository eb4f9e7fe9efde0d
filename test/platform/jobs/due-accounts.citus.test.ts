import { describe, expect, test } from 'vitest'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobClaims } from '../../../src/platform/jobs/job-claims.ts'
import { scheduleJob } from '../../../src/platform/jobs/job-loop.ts'
import { joinServers } from '../../../src/platform/jobs/server-nodes.ts'
import { insertAccount } from '../../../src/platform/store/accounts/accounts.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { deleteJob } from '../../../src/platform/store/runtime/scheduled-jobs.ts'
import { opened, sharded } from '../../support/databases.ts'

const begin = Date.UTC(2027, 0, 31)
const hour = 3_600_000
const limits = { limit: 320, perAccount: 20, excludedAccounts: [] }

/** A sharded database, its servers, and a time that the test sets. */
async function place() {
  const target = await sharded.target()
  const time = { wall: begin, platform: begin }
  const at = (ms: number): number => ms * 1000
  const server = async (name: string) => {
    const connection = await opened(target)
    await connection.read.selectFrom('meta').selectAll().execute()
    const claims = createJobClaims({
      connection,
      clock: createClock(connection, () => time.platform),
      owner: name,
      isAlive: () => true,
      wall: () => time.wall,
      isBatched: async () => false,
      log: () => {},
    })
    const claimed = async (): Promise<string[]> => (await claims.claimFairly(limits)).map((it) => it.subject).sort()
    return { connection, claimed, nextAt: () => claims.nextAt(at(time.platform)) }
  }
  const account = (connection: Connection): Promise<{ readonly id: number }> =>
    connection.write('everything', (query) =>
      insertAccount(query, {
        ...{ name: 'A', email: 'a@b.example', kind: 'tenant', balance: 0, minute_rate: 1, payment_method: null },
        created_at: 0,
      }),
    )
  const add = (connection: Connection, id: number, subject: string, dueAt = time.platform) =>
    connection.write({ account: id }, (query) =>
      scheduleJob(query, { account: id, kind: 'work', subject, at: at(dueAt) }),
    )
  return { time, server, account, add, at }
}

// Citus is needed: the project `citus`.
describe.runIf(process.env.PARLEY_TEST_CITUS)('due jobs on shards', () => {
  test('are known at once to the server whose transaction scheduled them, and soon to others', async () => {
    const { time, server, account, add } = await place()
    const [one, other] = [await server('one:1:a'), await server('other:1:b')]
    const { id } = await account(one.connection)
    expect([await one.claimed(), await other.claimed()]).toEqual([[], []])
    await add(one.connection, id, 'first')
    expect([await other.claimed(), await one.claimed()]).toEqual([[], ['first']])
    await one.connection.write({ account: id }, (query) => deleteJob(query, 'work', 'first'))
    await add(one.connection, id, 'second')
    time.wall += 15_000
    expect([await other.claimed(), await one.claimed()]).toEqual([['second'], []])
  })

  test('are due later when their server says so', async () => {
    const { time, server, account, add, at } = await place()
    const one = await server('one:1:a')
    const { id } = await account(one.connection)
    await one.claimed()
    await add(one.connection, id, 'later', begin + hour)
    await add(one.connection, id, 'latest', begin + 2 * hour)
    expect([await one.claimed(), await one.nextAt()]).toEqual([[], at(begin + hour)])
    time.platform += hour
    expect(await one.claimed()).toEqual(['later'])
    await one.connection.write({ account: id }, (query) => deleteJob(query, 'work', 'later'))
    expect([await one.claimed(), await one.nextAt()]).toEqual([[], at(begin + 2 * hour)])
  })

  test('are found at once when the clock is set forward, and when another server has ended', async () => {
    const { time, server, account, add } = await place()
    const [one, other] = [await server('one:1:a'), await server('other:1:b')]
    const { id } = await account(one.connection)
    const node = await joinServers({
      ...{ connection: one.connection, owner: 'one:1:a', pid: 1, version: '1', log: () => {} },
      ...{ state: { url: null, isDraining: false }, wall: () => time.wall },
    })
    expect(await other.claimed()).toEqual([])
    await add(one.connection, id, 'tomorrow', begin + 24 * hour)
    await other.claimed()
    time.platform += 24 * hour
    expect(await other.claimed()).toEqual(['tomorrow'])
    await add(one.connection, id, 'left')
    expect(await other.claimed()).toEqual([])
    await node.leave()
    time.wall += 1000
    expect(await other.claimed()).toEqual(['left'])
  })

  test('of very many accounts are all found', async () => {
    const { server } = await place()
    const one = await server('one:1:a')
    const { connection } = one
    const accounts = 4500
    await connection.write('everything', async (query) => {
      for (let n = 0; n < accounts; n += 500) {
        const rows = Array.from({ length: 500 }, (_, i) => ({
          ...{ name: `${n + i}`, email: 'a@b.example', kind: 'tenant' as const, balance: 0, minute_rate: 1 },
          ...{ payment_method: null, created_at: 0 },
        }))
        await query.insertInto('account').values(rows).execute()
      }
      const ids = await query.selectFrom('account').select('id').execute()
      for (let n = 0; n < accounts; n += 500) {
        const jobs = ids.slice(n, n + 500).map(({ id }) => ({ account_id: id, kind: 'work', subject: `${id}` }))
        await query
          .insertInto('due')
          .values(jobs.map((it) => ({ ...it, due_at: 1, attempts: 0, lease_until: 0 })))
          .execute()
      }
    })
    const found = new Set<string>()
    for (let more = await one.claimed(); more.length > 0; more = await one.claimed())
      for (const subject of more) found.add(subject)
    expect(found.size).toBe(accounts)
  })
})
