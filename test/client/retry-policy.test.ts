import { describe, expect, test } from 'vitest'
import {
  type AttemptOutcome,
  defaultRetryPolicy,
  type RetryPolicy,
  readRetryAfter,
  retryDelayMs,
} from '../../src/client/retry-policy.ts'
import type { TransportReason } from '../../src/client/transport/transport.ts'
import type { Risk } from '../../src/contract/endpoint/endpoint.ts'

const policy = { ...defaultRetryPolicy, random: () => 1 }
const wait = (risk: Risk, outcome: AttemptOutcome, attempt = 1, more: Partial<RetryPolicy> = {}): number | null =>
  retryDelayMs(attempt, outcome, { risk }, { ...policy, ...more })
const status = (code: number, headers: Record<string, string> = {}): AttemptOutcome => ({ status: code, headers })
const again = (risk: Risk, outcome: AttemptOutcome): boolean => wait(risk, outcome) !== null
const writes: Risk[] = ['write', 'destructive', 'severe', 'outside', 'spends']

describe('a read', () => {
  test.each([429, 502, 503, 504])('is retried after %i', (code) => {
    expect(again('read', status(code))).toBe(true)
  })
  test.each([200, 400, 401, 404, 408, 409, 422, 500, 501, 505])('is not retried after %i', (code) => {
    expect(again('read', status(code))).toBe(false)
  })
  test.each(['refused', 'dns', 'timeout', 'reset', 'truncated', 'proxy', 'other'] as TransportReason[])(
    'is retried if the connection ends with "%s"',
    (reason) => {
      expect([again('read', { reason, sent: true }), again('read', { reason, sent: false })]).toEqual([true, true])
    },
  )
  test.each(['tls', 'aborted'] as TransportReason[])('is not retried after "%s"', (reason) => {
    expect(again('read', { reason, sent: false })).toBe(false)
  })
})

describe.each(writes)('a call that is %s', (risk) => {
  test('is retried only if it certainly was not carried out', () => {
    expect(again(risk, status(429))).toBe(risk !== 'spends')
    expect(again(risk, { reason: 'refused', sent: false })).toBe(true)
    expect(again(risk, { reason: 'timeout', sent: false })).toBe(true)
    expect(again(risk, { reason: 'reset', sent: true })).toBe(false)
    expect(again(risk, { reason: 'timeout', sent: true })).toBe(false)
    expect(again(risk, status(502))).toBe(false)
    expect(again(risk, status(503, { 'retry-after': '1' }))).toBe(false)
  })
})

describe('a billable operation that is answered with 429', () => {
  const message = { risk: 'spends', isMessage: true } as const
  const at = (endpoint: Parameters<typeof retryDelayMs>[2], outcome: AttemptOutcome, isIdempotent = false): boolean =>
    retryDelayMs(1, outcome, endpoint, { ...policy, isIdempotent }) !== null

  test.each([
    ['Retry-After', { status: 429, headers: { 'retry-after': 'soon' } }],
    ['retry_after in the body', { status: 429, headers: {}, retryAfter: 2 }],
    ['X-RateLimit-Remaining', { status: 429, headers: { 'x-ratelimit-remaining': '0' } }],
  ])('is retried with %s if it is a message, and never if it is a purchase or a call', (_, outcome) => {
    expect([at(message, outcome), at({ risk: 'spends' }, outcome)]).toEqual([true, false])
  })
  test('is not retried without these headers or fields', () => {
    expect([at(message, status(429)), at({ risk: 'spends' }, status(429))]).toEqual([false, false])
  })
  test('is retried if the platform supports idempotency keys', () => {
    expect([at(message, status(429), true), at({ risk: 'spends' }, status(429), true)]).toEqual([true, true])
  })
})

test('a refusal of a proxy is not retried', () => {
  expect(again('read', { reason: 'proxy', sent: false, isRefusal: true })).toBe(false)
  expect(again('spends', { reason: 'proxy', sent: false, isRefusal: true })).toBe(false)
})

describe('the wait', () => {
  test('doubles up to a maximum, and half of it is random', () => {
    const pauses = (random: number): (number | null)[] =>
      [1, 2, 3, 9].map((attempt) => wait('read', status(503), attempt, { retries: 9, random: () => random }))
    expect(pauses(1)).toEqual([250, 500, 1000, 8000])
    expect(pauses(0)).toEqual([125, 250, 500, 4000])
  })
  test('is what the platform asks for', () => {
    expect(wait('read', { status: 503, headers: {}, retryAfter: 12 })).toBe(12_000)
    expect(wait('write', { status: 429, headers: {}, retryAfter: 12 })).toBe(12_000)
    expect(wait('read', { status: 429, headers: {}, retryAfter: 0 })).toBe(250)
  })
  test('is skipped if the platform asks for too long a wait', () => {
    expect(wait('read', { status: 429, headers: {}, retryAfter: 3600 })).toBeNull()
  })
  test('is skipped after the last attempt', () => {
    expect([wait('read', status(503), 3), wait('read', status(503), 4)]).toEqual([1000, null])
  })
  test('is skipped while the clock is frozen', () => {
    expect(wait('read', status(429, { 'parley-clock': 'frozen' }))).toBeNull()
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-31T09:00:00Z')
  test.each([
    ['30', 30],
    ['0', 0],
    ['Sat, 31 Jan 2026 09:01:30 GMT', 90],
    ['Sat, 31 Jan 2026 08:00:00 GMT', 0],
    ['soon', undefined],
  ])('"%s" is %s seconds', (text, seconds) => {
    expect(readRetryAfter({ 'retry-after': text }, undefined, now)).toBe(seconds)
  })
  test('takes precedence over the body', () => {
    expect(readRetryAfter({ 'retry-after': '5' }, { retry_after: 60 }, now)).toBe(5)
    expect(readRetryAfter({}, { retry_after: 60 }, now)).toBe(60)
    expect(readRetryAfter({}, { retry_after: 'x' }, now)).toBeUndefined()
    expect(readRetryAfter({}, null, now)).toBeUndefined()
  })
})
