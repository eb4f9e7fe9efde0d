import { describe, expect, test } from 'vitest'
import { FairSlots } from '../../src/node/fair-slots.ts'

/** Lets everything that can happen now happen. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 100; n++) await Promise.resolve()
}

/** Slots, and the accounts that have got one, in this order. */
function place(limits: { readonly total: number; readonly perAccount: number }) {
  const slots = new FairSlots(limits)
  const got: number[] = []
  const take = (...accounts: readonly number[]): void => {
    for (const account of accounts) void slots.acquire(account).then(() => got.push(account))
  }
  return { slots, got, take }
}

const times = (count: number, account: number): number[] => Array.from({ length: count }, () => account)

describe('slots of a limited resource', () => {
  test('are not all taken by one account, so that another one gets a slot at once', async () => {
    const { got, take } = place({ total: 8, perAccount: 6 })
    take(...times(100, 1))
    await settle()
    expect(got).toEqual(times(6, 1))
    take(2, 3)
    await settle()
    expect(got.slice(6)).toEqual([2, 3])
  })

  test('go to the accounts in turn, when all are in use', async () => {
    const { slots, got, take } = place({ total: 2, perAccount: 2 })
    take(...times(2, 1), ...times(3, 1), 2, 2, 3)
    await settle()
    for (let n = 0; n < 6; n++) {
      slots.release(got[n] as number)
      await settle()
    }
    expect(got.slice(2)).toEqual([1, 2, 3, 1, 2, 1])
  })

  test('go to an account that comes later at the next turn, however many of another one wait', async () => {
    const { slots, got, take } = place({ total: 2, perAccount: 2 })
    take(...times(50, 1))
    await settle()
    slots.release(1)
    await settle()
    take(2)
    for (let n = 0; n < 2; n++) slots.release(1)
    await settle()
    expect(got).toEqual([1, 1, 1, 1, 2])
  })

  test('are not given to a caller that has stopped waiting', async () => {
    const { slots, got, take } = place({ total: 1, perAccount: 1 })
    const stop = new AbortController()
    take(1)
    const stopped = slots.acquire(2, stop.signal)
    take(3)
    stop.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    slots.release(1)
    await settle()
    expect(got).toEqual([1, 3])
    await expect(slots.acquire(4, stop.signal)).rejects.toThrow('stopped')
  })

  test('are returned after work that failed', async () => {
    const { slots, got, take } = place({ total: 1, perAccount: 1 })
    const failed = slots.run(1, () => Promise.reject(new Error('failed')))
    take(2)
    await expect(failed).rejects.toThrow('failed')
    await settle()
    expect(got).toEqual([2])
  })

  test('are within both limits, and no account waits beside a slot that it may have (seeded)', async () => {
    const seed = Date.now()
    let state = seed % 2_147_483_647
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const limits = { total: 5, perAccount: 3 }
    const { slots, got, take } = place(limits)
    const held: number[] = []
    const wanted: number[] = []
    let seen = 0
    for (let n = 0; n < 2000; n++) {
      if (random(2) === 0) {
        wanted.push(random(4))
        take(wanted.at(-1) as number)
      } else if (held.length > 0) slots.release(held.splice(random(held.length), 1)[0] as number)
      await settle()
      for (; seen < got.length; seen++) {
        held.push(got[seen] as number)
        wanted.splice(wanted.indexOf(got[seen] as number), 1)
      }
      const ofAccount = (account: number): number => held.filter((it) => it === account).length
      expect(held.length, `seed ${seed}`).toBeLessThanOrEqual(limits.total)
      for (const account of [0, 1, 2, 3])
        expect(ofAccount(account), `seed ${seed}`).toBeLessThanOrEqual(limits.perAccount)
      if (held.length < limits.total)
        for (const account of wanted) expect(ofAccount(account), `seed ${seed}`).toBe(limits.perAccount)
    }
  })
})
