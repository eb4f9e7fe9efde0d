import { expect, test } from 'vitest'
import { GroupPace } from '../../../../src/platform/store/postgres/group-pace.ts'

function afterRuns(...durations: readonly number[]): { readonly waitMs: number; readonly slowMs: number } {
  const pace = new GroupPace()
  for (const ms of durations) pace.note(ms)
  return { waitMs: Math.round(pace.waitMs), slowMs: Math.round(pace.slowMs) }
}
const times = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms)

test('on a fast database, accounts use another connection after 2 ms, and a transaction of more than 10 ms is slow', () => {
  expect(afterRuns()).toEqual({ waitMs: 2, slowMs: 10 })
  expect(afterRuns(...times(100, 3))).toEqual({ waitMs: 2, slowMs: 10 })
})

test('while all transactions take longer, accounts wait for half of their time, and slow is twice as long', () => {
  expect(afterRuns(...times(100, 20))).toEqual({ waitMs: 10, slowMs: 40 })
})

test('one transaction that waits for a lock changes little', () => {
  expect(afterRuns(...times(100, 8), 30_000)).toEqual({ waitMs: 5, slowMs: 18 })
})

test('no account waits longer than 25 ms on the slowest database, and what is usual again counts after some transactions', () => {
  expect(afterRuns(...times(100, 5000))).toEqual({ waitMs: 25, slowMs: 100 })
  expect(afterRuns(...times(100, 5000), ...times(40, 2))).toEqual({ waitMs: 2, slowMs: 10 })
})
