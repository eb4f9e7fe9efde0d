import { expect, test } from 'vitest'
import { FairQueue } from '../../src/node/fair-queue.ts'

/** Takes jobs one after the other, each of which runs for as long as it says. */
function run(queue: FairQueue<{ account: number; ms: number }>, count: number): number[] {
  const order: number[] = []
  for (let n = 0; n < count; n++) {
    const job = queue.take()
    if (!job) break
    order.push(job.account)
    queue.end(job.account, job.ms)
  }
  return order
}

test('a job of another account waits for one job, however long the queue is', () => {
  const queue = new FairQueue<{ account: number; ms: number }>()
  for (let n = 0; n < 60; n++) queue.add(1, { account: 1, ms: 5000 })
  expect(run(queue, 1)).toEqual([1])
  queue.add(2, { account: 2, ms: 36 })
  expect(run(queue, 2)).toEqual([2, 1])
})

test('an account with long jobs gets as much time as one with short jobs, not as many jobs', () => {
  const queue = new FairQueue<{ account: number; ms: number }>()
  for (let n = 0; n < 200; n++) {
    queue.add(1, { account: 1, ms: 1000 })
    queue.add(2, { account: 2, ms: 50 })
  }
  const order = run(queue, 100)
  const long = order.filter((it) => it === 1).length
  expect(long).toBeGreaterThan(1)
  expect(long).toBeLessThan(10)
})

test('jobs of one account keep their order, and accounts take turns', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(1, item)
  queue.add(2, 'b1')
  queue.add(3, 'c1')
  expect([1, 2, 3, 4, 5].map(() => queue.take())).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  expect(queue.take()).toBeUndefined()
})

test('an account that comes later has the next turn, also among jobs that cost no time', () => {
  const queue = new FairQueue<string, string>()
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  expect([queue.take(), queue.take()]).toEqual(['a1', 'a2'])
  queue.add('b', 'b1')
  queue.end('a', 0)
  expect([queue.take(), queue.take(), queue.take()]).toEqual(['a3', 'b1', 'a4'])
})

test('accounts that may not run are skipped', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2']) queue.add(1, item)
  queue.add(2, 'b1')
  expect(queue.take()).toBe('a1')
  expect(queue.take((running) => running === 0)).toBe('b1')
  expect(queue.take((running) => running === 0)).toBeUndefined()
  queue.end(1, 10)
  expect(queue.take((running) => running === 0)).toBe('a2')
})

test('a job that is put back is the next one of its account', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(1, item)
  expect([queue.take(), queue.take()]).toEqual(['a1', 'a2'])
  for (const item of ['a2', 'a1']) {
    queue.end(1, 0)
    queue.putBack(1, item)
  }
  expect(queue.size).toBe(3)
  expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['a1', 'a2', 'a3', undefined])
})
