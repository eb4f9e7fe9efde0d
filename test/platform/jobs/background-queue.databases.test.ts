import { describe, expect, test } from 'vitest'
import { BackgroundQueue } from '../../../src/platform/jobs/background-queue.ts'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { OwnLeases } from '../../../src/platform/jobs/leases.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import type { JobRow } from '../../../src/platform/store/runtime/scheduled-jobs.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases } from '../../support/databases.ts'

describe.each(databases)('jobs that wait on external services on $name', (database) => {
  async function place() {
    const connection = await openStore(await database.target())
    afterFile(() => connection.close())
    const log: string[] = []
    const queue = new BackgroundQueue({
      connection,
      clock: createClock(connection, () => 0),
      leases: new OwnLeases(),
      owner: 'here:1:a',
      wall: () => 0,
      log: (text) => log.push(text),
    })
    const started: number[] = []
    const ends: (() => void)[] = []
    let id = 0
    /** Starts a job that waits until the test ends it, or the process does. */
    const start = (account_id: number): void => {
      const row: JobRow = {
        id: ++id,
        account_id,
        kind: 'work',
        subject: `${id}`,
        due_at: 0,
        attempts: 0,
        lease_until: 0,
        lease_owner: null,
        trace: null,
      }
      queue.start(row, (signal) => {
        started.push(account_id)
        return new Promise((resolve, reject) => {
          ends.push(resolve)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      })
    }
    return { queue, start, started, ends, log }
  }

  test('start at once for an account, however many of another one hang', async () => {
    const { queue, start, started } = await place()
    for (let n = 0; n < 50; n++) start(1)
    await expect.poll(() => started.length).toBeGreaterThan(0)
    start(2)
    await expect.poll(() => started).toContain(2)
    expect(started.length).toBeLessThan(10)
    await queue.close()
  })

  test('run all, and those that wait are released when the process ends', async () => {
    const { queue, start, started, ends, log } = await place()
    for (let n = 0; n < 12; n++) start(1)
    for (let ended = 0; ended < 6; ended++) {
      await expect.poll(() => ends.length).toBeGreaterThan(0)
      ends.shift()?.()
    }
    await expect.poll(() => started.length).toBe(10)
    await queue.close()
    expect(started).toHaveLength(10)
    expect(log).toEqual([])
  })
})
