import { describe, expect, test } from 'vitest'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobClaims } from '../../../src/platform/jobs/job-claims.ts'
import { scheduleJob } from '../../../src/platform/jobs/job-loop.ts'
import { joinServers } from '../../../src/platform/jobs/server-nodes.ts'
import { insertAccount } from '../../../src/platform/store/accounts/accounts.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { StoreError } from '../../../src/platform/store/database/store-error.ts'
import { databases } from '../../support/databases.ts'

const begin = Date.UTC(2027, 0, 31)

describe.each(databases)('jobs of other servers on $name', (database) => {
  async function place() {
    const connection = await database.fresh()
    const time = { ms: begin }
    const { id: account } = await connection.write('everything', (query) =>
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
    await connection.write({ account }, (query) =>
      scheduleJob(query, { account, kind: 'work', subject: 'one', at: begin * 1000 }),
    )
    const claims = (owner: string, more: { connection?: Connection; mayTakeOver?: () => boolean } = {}) =>
      createJobClaims({
        connection,
        clock: createClock(connection, () => time.ms),
        owner,
        isAlive: () => true,
        log: () => {},
        wall: () => time.ms,
        isBatched: async () => false,
        ...more,
      })
    return { connection, time, claims }
  }
  const limits = { limit: 10, perAccount: 10, excludedAccounts: [] }

  test('are taken over only by a server whose own heartbeats had no gap lately', async () => {
    const { connection, time } = await place()
    const state = { url: null, isDraining: false }
    const node = await joinServers({
      connection,
      owner: 'here:1:a',
      pid: 1,
      version: '1',
      state,
      wall: () => time.ms,
      log: () => {},
    })
    const afterBeats = async (...steps: number[]): Promise<boolean> => {
      for (const ms of steps) {
        time.ms += ms
        await node.announce()
      }
      return node.mayTakeOver()
    }
    expect(await afterBeats(1000)).toBe(false)
    expect(await afterBeats(1000, 1000, 1000)).toBe(true)
    // The database was away.
    expect(await afterBeats(20_000)).toBe(false)
    expect(await afterBeats(1000, 1000)).toBe(false)
    expect(await afterBeats(1000, 1000)).toBe(true)
    await node.leave()
  })

  if (database.name === 'postgres')
    test('whose heartbeat is missing stay leased while the claiming server may not take over', async () => {
      const { connection, time, claims } = await place()
      const state = { url: null, isDraining: false }
      const wall = () => time.ms
      const node = await joinServers({ connection, owner: 'far:1:a', pid: 1, version: '1', state, wall, log: () => {} })
      expect(await claims('far:1:a').claimFairly(limits)).toHaveLength(1)
      await connection.write('rows', (query) => query.updateTable('server_node').set({ seen_at: 0 }).execute())
      expect(await claims('here:1:b', { mayTakeOver: () => false }).claimFairly(limits)).toEqual([])
      expect(await claims('here:1:b', { mayTakeOver: () => true }).claimFairly(limits)).toHaveLength(1)
      await node.leave()
    })

  test('are not taken by a server that starts while tables are being spread over nodes', async () => {
    const { connection, time } = await place()
    await connection.write('rows', (query) =>
      query
        .insertInto('meta')
        .values({ key: 'distribution', value: '{"shards":4,"is_complete":false}' })
        .onConflict((it) => it.column('key').doUpdateSet({ value: '{"shards":4,"is_complete":false}' }))
        .execute(),
    )
    const state = { url: null, isDraining: false }
    const wall = () => time.ms
    await expect(
      joinServers({ connection, owner: 'here:1:a', pid: 1, version: '1', state, wall, log: () => {} }),
    ).rejects.toThrow('are being spread over nodes')
    expect(await connection.read.selectFrom('server_node').select('id').execute()).toEqual([])
  })

  test('are free at once when the outcome of a claim is not known', async () => {
    const { connection, claims } = await place()
    let losses = 1
    const losing: Connection = {
      ...connection,
      async write(scope, body) {
        const value = await connection.write(scope, body)
        if (losses-- > 0) throw new StoreError('unknown_outcome', 'The answer was lost.')
        return value
      },
    }
    const own = claims('here:1:a', { connection: losing })
    await expect(own.claimFairly(limits)).rejects.toMatchObject({ reason: 'unknown_outcome' })
    expect(await own.claimFairly(limits)).toMatchObject([{ subject: 'one' }])
  })
})
