import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AccountIds, createAccountIds } from '../../../../src/platform/services/runtime/account-ids.ts'

const key = Buffer.alloc(32, 7)
const ids = createAccountIds(() => key)
const now = Date.parse('2026-11-22T14:03:00Z') * 1000
const forms: readonly (readonly [string, (ids: AccountIds, account: number) => string])[] = [
  ['a UUID', (from, account) => from.newUuid(account)],
  ['a run id', (from, account) => from.newRunId(account, now)],
]

/** Returns repeatable bytes. */
function repeatable(seed: number): (count: number) => Buffer {
  let n = 0
  return (count) => {
    const hash = createHash('shake256', { outputLength: count })
    return hash.update(`${seed} ${n++}`).digest()
  }
}

test.each(forms)('%s carries its account', (_, create) => {
  const account = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 2 ** 36 - 1 }))
  fc.assert(
    fc.property(account, fc.integer(), (id, seed) => {
      const own = createAccountIds(() => key, repeatable(seed))
      const first = create(own, id)
      expect(own.accountOf(first)).toBe(id)
      expect(createAccountIds(() => key).accountOf(first.toString())).toBe(id)
      expect(create(own, id)).not.toBe(first)
    }),
    { seed: 38, numRuns: 300 },
  )
})

test('the forms are those of a UUID and of a run', () => {
  expect(ids.newUuid(1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.newRunId(1, now)).toMatch(/^[0-9A-Za-z]{21}$/)
  expect(ids.accountOf(ids.newUuid(9).toUpperCase())).toBe(9)
  for (const other of ['3f0c9e6a-8f0b-4d57-9d2c-1c8b8f5f2f10', 'run 7', '', '7', 'x'.repeat(5000)])
    expect(ids.accountOf(other)).toBeUndefined()
})

test('run ids of one minute are together in an index', () => {
  const minute = 60_000_000
  const made = [0, 1, 2].flatMap((n) =>
    Array.from({ length: 50 }, () => ({ n, id: ids.newRunId(1, now + n * minute) })),
  )
  expect(made.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((it) => it.n)).toEqual(made.map((it) => it.n))
})

// The ids are stored, and clients have them.
test('the ids of a key never change', () => {
  const own = createAccountIds(() => key, repeatable(1))
  expect([own.newUuid(1), own.newRunId(2, now)]).toEqual([
    '9f575755-cddd-87f9-9bbf-c4483b2da931',
    'ZLkCa2IWwtOmfmC0AL6NV',
  ])
})

test.each(forms)('%s of another key does not show its account', (_, create) => {
  const other = createAccountIds(() => Buffer.alloc(32, 8))
  const own = createAccountIds(() => key, repeatable(3))
  const read = Array.from({ length: 640 }, () => other.accountOf(create(own, 3)) ?? 0)
  // What is read instead is an account that hardly exists.
  expect(read.filter((it) => it !== 0 && it < 2 ** 20)).toEqual([])
})

test('most UUIDs of another key are recognized', () => {
  const other = createAccountIds(() => Buffer.alloc(32, 8), repeatable(1))
  const own = createAccountIds(() => key, repeatable(2))
  const read = Array.from({ length: 640 }, () => other.accountOf(own.newUuid(3)))
  expect(read.filter((it) => it !== undefined).length).toBeLessThan(30)
})

test.each(forms)('%s shows nothing of its account', (_, create) => {
  const texts = Array.from({ length: 400 }, () => create(ids, 5))
  expect(new Set(texts).size).toBe(400)
  // The last characters carry the account.
  expect(new Set(texts.map((it) => it.slice(-6))).size).toBeGreaterThan(395)
})

test.each(forms)('a garbled %s names no account, or another', (_, create) => {
  const own = createAccountIds(() => key, repeatable(2))
  const alphabet = '0123456789abcdefABCDEFXYZ-. '
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.constantFrom(...alphabet), (at, character) => {
      const id = create(own, 77)
      const changed = id.slice(0, at) + character + id.slice(at + 1)
      const account = own.accountOf(changed)
      if (account !== undefined) expect(account).toBeGreaterThan(0)
    }),
    { seed: 38, numRuns: 500 },
  )
  for (const id of [
    'z'.repeat(21),
    '0'.repeat(21),
    'ffffffff-ffff-8fff-bfff-ffffffffffff',
    '00000000-0000-8000-8000-000000000000',
  ])
    expect(() => own.accountOf(id)).not.toThrow()
})

test('an account that does not fit is refused', () => {
  expect(ids.accountOf(ids.newUuid(2 ** 36 - 1))).toBe(2 ** 36 - 1)
  for (const account of [0, -1, 1.5, 2 ** 36, Number.NaN]) expect(() => ids.newUuid(account)).toThrow('2^36')
})

test('the key is read at first use', () => {
  createAccountIds(() => {
    throw new Error('asked for')
  })
})
