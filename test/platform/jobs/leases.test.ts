import { expect, test } from 'vitest'
import { LeaseKeeper, leaseMs } from '../../../src/platform/jobs/leases.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { StoreError, type StoreErrorReason } from '../../../src/platform/store/database/store-error.ts'

/** A keeper that has held a job for too long without an answer of a database that fails now for a reason. */
function keeperOf(reason: StoreErrorReason): LeaseKeeper {
  let now = 0
  const write = async (): Promise<never> => {
    throw new StoreError(reason, 'The database failed.')
  }
  const connection = { isSharded: () => true, write } as unknown as Connection
  const keeper = new LeaseKeeper({ connection, owner: 'this', wall: () => now, log: () => {} })
  const job = { id: 1, account_id: 7, kind: 'run', subject: '1', due_at: 0, attempts: 0, trace: null }
  keeper.hold([{ ...job, lease_owner: null, lease_until: 0 }])
  now += leaseMs
  return keeper
}

test('a job whose node of a sharded database is away does not keep the server from finding other jobs', async () => {
  await expect(keeperOf('node_unreachable').renewExpired()).resolves.toBeUndefined()
})

test('a database that cannot be reached is said before jobs are searched for', async () => {
  await expect(keeperOf('unreachable').renewExpired()).rejects.toMatchObject({ reason: 'unreachable' })
})
