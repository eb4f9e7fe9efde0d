import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bin } from '../e2e/support/built-program.ts'
import { temporaryFolder } from '../support/databases.ts'
import { batchSoak } from './bulk-soak.ts'
import { crowd } from './concurrent-clients.ts'
import { retries } from './delivery-retries.ts'
import { eventSoak } from './event-soak.ts'
import { hanging } from './hanging-receivers.ts'
import { day } from './retention-soak.ts'

// Short versions: "npm run soak" runs them longer, and measures what a busy machine cannot measure.

describe('a server', () => {
  test('that is killed repeatedly loses no event, and delivers none under a second id', async () => {
    const { wrong, acknowledged, kills } = await eventSoak({ folder: temporaryFolder(), events: 60, kills: 4 })
    expect([wrong, acknowledged, kills]).toEqual([[], 60, 4])
  })

  test('continues to respond while all receivers hang', async () => {
    const { hanging: held, stillHanging } = await hanging({ folder: temporaryFolder(), receivers: 100, ms: 500 })
    expect(held).toBe(100)
    // A hundred requests were answered before the receivers responded.
    expect(stillHanging).toBeGreaterThan(0)
  })

  test('keeps a log of requests that does not grow, and events and deliveries for 30 days', async () => {
    const { shown, wanted, logged, full, later, more } = await day({ folder: temporaryFolder(), events: 480 })
    expect([shown, wanted]).toEqual([480, 480])
    expect(logged).toBeLessThan(10)
    expect(Math.min(...full)).toBeGreaterThanOrEqual(480)
    expect(later.old).toEqual([0, 0, 0])
    for (const memory of later.all) expect(memory).toBeLessThan(3 * more)
  })

  test('retries due deliveries immediately, each under its id, when time is advanced', async () => {
    const { failed, done, once } = await retries({ folder: temporaryFolder(), due: 500 })
    expect([failed, done, once]).toEqual([500, 500, 500])
  })
})

test('that shares its folder with another server and commands loses no data, and waits for no stale lock', async () => {
  const folder = join(temporaryFolder(), 'crowd')
  mkdirSync(folder)
  const { wrong, overHttp, byCommand } = await crowd({ folder, program: bin, commands: 4, ms: 3000 })
  expect(wrong).toEqual([])
  expect(Math.min(overHttp, byCommand)).toBeGreaterThan(4)
})

test('that receives many leads in a request, over PostgreSQL, has each one once, however often the import is killed', async () => {
  const folder = join(temporaryFolder(), 'batches')
  mkdirSync(folder)
  const { done, kills, wrong } = await batchSoak({ folder, program: bin, rows: 6000, kills: 4 })
  expect([done, wrong]).toEqual([6000, []])
  expect(kills).toBeGreaterThan(1)
})
