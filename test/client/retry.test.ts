import { describe, expect, test } from 'vitest'
import { defaultPolicy, type RetryPolicy, readRetryAfter, retryWait, type TryOutcome } from '../../src/client/retry.ts'
import type { TransportReason } from '../../src/client/transport.ts'
import type { Risk } from '../../src/contract/endpoint.ts'

const policy = { ...defaultPolicy, random: () => 1 }
const wait = (risk: Risk, outcome: TryOutcome, attempt = 1, more: Partial<RetryPolicy> = {}): number | null =>
  retryWait(attempt, outcome, { risk }, { ...policy, ...more })
const status = (code: number, headers: Record<string, string> = {}): TryOutcome => ({ status: code, headers })
const again = (risk: Risk, outcome: TryOutcome): boolean => wait(risk, outcome) !== null
const writes: Risk[] = ['write', 'destructive', 'severe', 'outside', 'spends']

describe('a read', () => {
  test.each([429, 502, 503, 504])('is asked again after %i', (code) => {
    expect(again('read', status(code))).toBe(true)
  })
  test.each([200, 400, 401, 404, 408, 409, 422, 500, 501, 505])('is not asked again after %i', (code) => {
    expect(again('read', status(code))).toBe(false)
  })
  test.each(['refused', 'dns', 'timeout', 'reset', 'truncated', 'proxy', 'other'] as TransportReason[])(
    'is asked again when the connection ends by "%s"',
    (reason) => {
      expect([again('read', { reason, sent: true }), again('read', { reason, sent: false })]).toEqual([true, true])
    },
  )
  test.each(['tls', 'aborted'] as TransportReason[])('is not asked again after "%s"', (reason) => {
    expect(again('read', { reason, sent: false })).toBe(false)
  })
})

describe.each(writes)('a call that is %s', (risk) => {
  test('goes again only when it certainly was not carried out', () => {
    expect(again(risk, status(429))).toBe(true)
    expect(again(risk, { reason: 'refused', sent: false })).toBe(true)
    expect(again(risk, { reason: 'timeout', sent: false })).toBe(true)
    expect(again(risk, { reason: 'reset', sent: true })).toBe(false)
    expect(again(risk, { reason: 'timeout', sent: true })).toBe(false)
    expect(again(risk, status(502))).toBe(false)
    expect(again(risk, status(503, { 'retry-after': '1' }))).toBe(false)
  })
})

describe('the pause', () => {
  test('doubles, up to a cap, half of it by chance', () => {
    const pauses = (random: number): (number | null)[] =>
      [1, 2, 3, 9].map((attempt) => wait('read', status(503), attempt, { retries: 9, random: () => random }))
    expect(pauses(1)).toEqual([250, 500, 1000, 8000])
    expect(pauses(0)).toEqual([125, 250, 500, 4000])
  })
  test('is what the platform asks for, where it asks', () => {
    expect(wait('read', { status: 503, headers: {}, retryAfter: 12 })).toBe(12_000)
    expect(wait('spends', { status: 429, headers: {}, retryAfter: 12 })).toBe(12_000)
    expect(wait('read', { status: 429, headers: {}, retryAfter: 0 })).toBe(250)
  })
  test('is not made when the platform asks for longer than anybody waits', () => {
    expect(wait('read', { status: 429, headers: {}, retryAfter: 3600 })).toBeNull()
  })
  test('is not made after the last try', () => {
    expect([wait('read', status(503), 3), wait('read', status(503), 4)]).toEqual([1000, null])
  })
  test('is not made while the clock stands still', () => {
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
  test('wins over the body, which may say it too', () => {
    expect(readRetryAfter({ 'retry-after': '5' }, { retry_after: 60 }, now)).toBe(5)
    expect(readRetryAfter({}, { retry_after: 60 }, now)).toBe(60)
    expect(readRetryAfter({}, { retry_after: 'x' }, now)).toBeUndefined()
    expect(readRetryAfter({}, null, now)).toBeUndefined()
  })
})
