import { describe, expect, test } from 'vitest'
import { RunSlots } from '../../../src/platform/runs/runner.ts'

/** Work that ends when the test says so. */
function held(): { readonly work: () => Promise<void>; readonly end: () => void } {
  let end = (): void => {}
  const promise = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => promise, end }
}

/** Lets everything that can happen now happen. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 1000; n++) await Promise.resolve()
}

describe('slots of runs', () => {
  test('are taken in turns by the accounts that wait', async () => {
    const slots = new RunSlots({ working: 1, startedOfAccount: 100 })
    expect(slots.tryStart(1)).toBe(true)
    const order: number[] = []
    for (const account of [1, 1, 1, 1, 2, 2, 3]) void slots.start(account).then(() => order.push(account))
    expect([1, 2, 3, 4].map((it) => slots.waitingOf(it))).toEqual([4, 2, 1, 0])
    for (let account: number | undefined = 1; account !== undefined; account = order.at(-1)) {
      const before = order.length
      slots.end(account)
      await settle()
      if (order.length === before) break
    }
    expect(order).toEqual([1, 2, 3, 1, 2, 1, 1])
    expect([1, 2, 3].map((it) => slots.waitingOf(it))).toEqual([0, 0, 0])
  })

  test('go next to an account that comes later, however many runs of another one wait', async () => {
    const slots = new RunSlots({ working: 1, startedOfAccount: 100 })
    expect(slots.tryStart(1)).toBe(true)
    const order: number[] = []
    const start = (account: number): void => void slots.start(account).then(() => order.push(account))
    for (let n = 0; n < 20; n++) start(1)
    slots.end(1)
    await settle()
    start(2)
    for (let n = 0; n < 2; n++) {
      slots.end(order.at(-1) as number)
      await settle()
    }
    expect(order.slice(0, 3)).toContain(2)
  })

  test('are free while runs wait for an answer, so that other accounts start at once', async () => {
    const slots = new RunSlots({ working: 2, startedOfAccount: 100 })
    const receiver = held()
    const ended: number[] = []
    for (let n = 0; n < 50; n++)
      void slots
        .start(1)
        .then(() => slots.withoutSlot(1, receiver.work))
        .then(() => {
          ended.push(n)
          slots.end(1)
        })
    await settle()
    expect(slots.waitingOf(1)).toBe(0)
    expect(slots.tryStart(2)).toBe(true)
    slots.end(2)
    receiver.end()
    await settle()
    await settle()
    expect(ended).toHaveLength(50)
    expect(slots.tryStart(1) && slots.tryStart(1)).toBe(true)
    expect(slots.tryStart(1)).toBe(false)
  })

  test('are limited for each account, also for runs that wait for an answer', async () => {
    const slots = new RunSlots({ working: 10, startedOfAccount: 3 })
    const receiver = held()
    let started = 0
    for (let n = 0; n < 5; n++)
      void slots.start(1).then(async () => {
        started++
        await slots.withoutSlot(1, receiver.work)
        slots.end(1)
      })
    await settle()
    expect([started, slots.waitingOf(1), slots.tryStart(1)]).toEqual([3, 2, false])
    for (let n = 0; n < 3; n++) expect(slots.tryStart(2)).toBe(true)
    expect(slots.tryStart(2)).toBe(false)
    receiver.end()
    await settle()
    expect([started, slots.waitingOf(1)]).toEqual([5, 0])
  })

  test('are never used by more runs than the limit, and none is lost, whatever the runs do (seeded)', async () => {
    const seed = Date.now()
    let state = seed % 2_147_483_647
    const random = (n: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % n
    }
    const slots = new RunSlots({ working: 3, startedOfAccount: 5 })
    const working = new Set<object>()
    const started = new Map<number, number>()
    let ended = 0
    const run = async (account: number): Promise<void> => {
      await slots.start(account)
      const me = {}
      working.add(me)
      started.set(account, (started.get(account) ?? 0) + 1)
      for (let n = random(4); n > 0; n--) {
        expect(working.size, `seed ${seed}`).toBeLessThanOrEqual(3)
        working.delete(me)
        await slots
          .withoutSlot(account, async () => {
            for (let turns = random(5); turns > 0; turns--) await Promise.resolve()
            if (random(10) === 0) return Promise.reject(new Error('refused'))
          })
          .catch(() => {})
        working.add(me)
      }
      expect(started.get(account), `seed ${seed}`).toBeLessThanOrEqual(5)
      started.set(account, (started.get(account) ?? 0) - 1)
      working.delete(me)
      slots.end(account)
      ended++
    }
    await Promise.all(Array.from({ length: 400 }, () => run(1 + random(4))))
    expect(ended).toBe(400)
    for (let n = 0; n < 3; n++) expect(slots.tryStart(9), `seed ${seed}`).toBe(true)
    expect(slots.tryStart(9)).toBe(false)
  })
})
