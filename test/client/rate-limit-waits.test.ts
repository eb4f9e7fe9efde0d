import { describe, expect, test } from 'vitest'
import { defaultRetryPolicy, type RetryPolicy, retryDelayMs } from '../../src/client/retry-policy.ts'
import { messaging } from '../../src/contract/resources/messaging.ts'
import { numbers } from '../../src/contract/resources/numbers.ts'

const full = { status: 429, headers: {}, retryAfter: 1 }
const wait = (
  attempt: number,
  more: Partial<RetryPolicy> = {},
  outcome: Parameters<typeof retryDelayMs>[1] = full,
  endpoint: Parameters<typeof retryDelayMs>[2] = messaging.send,
) => retryDelayMs(attempt, outcome, endpoint, { ...defaultRetryPolicy, random: () => 0.5, ...more })

describe('an endpoint with a known rate limit', () => {
  test('is retried until the timeout, however few retries are allowed', () => {
    expect([wait(4), wait(120), wait(121)]).toEqual([1500, 1500, null])
    expect(wait(4, {}, full, messaging.sendFreeform)).toBe(1500)
    expect(wait(4, {}, full, numbers.buy)).toBeNull()
  })

  test('spreads the retries of clients that were refused together, and none is before the given time', () => {
    expect([0, 0.25, 1].map((random) => wait(1, { random: () => random }))).toEqual([1000, 1250, 2000])
  })

  test('is not retried without retries or while the clock is frozen', () => {
    expect(wait(1, { retries: 0 })).toBeNull()
    expect(wait(1, {}, { ...full, headers: { 'parley-clock': 'frozen' } })).toBeNull()
  })

  test('is not retried for any other reason', () => {
    expect(wait(1, {}, { status: 503, headers: {}, retryAfter: 1 })).toBeNull()
    expect(wait(1, {}, { reason: 'reset', sent: true })).toBeNull()
    expect([wait(3, {}, { reason: 'refused', sent: false }), wait(4, {}, { reason: 'refused', sent: false })]).toEqual([
      750,
      null,
    ])
  })
})
