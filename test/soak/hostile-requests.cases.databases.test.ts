import { describe, expect, test } from 'vitest'
import { caseCount } from '../support/case-count.ts'
import { databases } from '../support/databases.ts'
import { newPlace } from '../support/platform/test-platforms.ts'
import { attack, hostileRequests, wrongWith } from './hostile-requests.ts'

/** Seed of the requests; PARLEY_SEED sets another one. The same seed creates the same requests. */
const seed = Number(process.env.PARLEY_SEED ?? 2026)

describe.each(databases)(`hostile requests on $name, seed ${seed}`, (database) => {
  const few = 'sqlite' === database.name ? caseCount(1300, 400) : 400

  test(`are answered or refused as documented, ${few} of them: no 500, no hang, no secret in a log`, async () => {
    const { wrong, taken } = await attack(await newPlace(database), few, seed)
    expect(wrong).toEqual([])
    // Enough of them are valid and reach the services.
    expect(taken).toBeGreaterThan(few / 20)
  })

  test('are refused as documented in the public vocabulary too', async () => {
    expect(
      (
        await attack(await newPlace(database), few / 4, seed + 1, {
          vocabulary: 'public',
        })
      ).wrong,
    ).toEqual([])
  })
})

test('the same seed creates the same requests, and another one others', () => {
  const made = (of: number) => JSON.stringify(hostileRequests(100, of).map(({ endpoint: _, ...request }) => request))
  expect(made(seed)).toBe(made(seed))
  expect(made(seed)).not.toBe(made(seed + 1))
})

test.each([
  [500, '{"message":"Server Error"}'],
  [422, '{"error":{"message":"No."}}'],
  [422, '{"message":"No.","errors":{"name":"No."}}'],
  [404, '{}'],
  [404, '[]'],
  [302, '{}'],
  [200, 'fine'],
  [501, '{"message":"This endpoint is not implemented yet."}'],
])('a response such as %i %s is detected', (status, body) => {
  expect(wrongWith({ status, headers: { 'content-type': 'application/json' }, body })).toBeDefined()
})
