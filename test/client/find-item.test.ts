import { describe, expect, test } from 'vitest'
import type { Call } from '../../src/client/create-client.ts'
import { findItem } from '../../src/client/find-item.ts'
import { assistants } from '../../src/contract/resources/assistants.ts'

/** A platform with these ids in this order. Returns what a search finds, and how many pages it reads. */
async function search(
  ids: readonly (number | string)[],
  id: number | string,
  { maxPerPage = 100, hasTotal = true } = {},
): Promise<{ readonly found: unknown; readonly pages: number }> {
  let pages = 0
  const raw = async (_: unknown, { page = 1, per_page = 10 }: { page?: number; per_page?: number }) => {
    pages += 1
    const size = Math.min(per_page, maxPerPage)
    return {
      output: {
        data: ids.slice((page - 1) * size, page * size).map((it) => ({ id: it })),
        meta: {
          current_page: page,
          last_page: Math.ceil(ids.length / size),
          ...(hasTotal && { total: ids.length, per_page: size }),
        },
      },
    }
  }
  const found = await findItem<{ id: unknown }>(Object.assign(raw, { raw }) as unknown as Call, assistants.list, {}, id)
  return { found: found?.id, pages }
}

const dense = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
/** Ids with gaps of a different size, as of a platform with several accounts. */
const sparse = (count: number): number[] => dense(count).map((it) => it * 40 + ((it * 7919) % 39))

describe('an id in a list of pages', () => {
  test('on the first page is one request', async () => {
    expect(await search(dense(1000), 100)).toEqual({ found: 100, pages: 1 })
  })
  test.each([101, 450, 991, 1000, 99_999, 100_000])('%i of 100 000 without gaps is two requests', async (id) => {
    expect(await search(dense(100_000), id)).toEqual({ found: id, pages: 2 })
  })
  test('with gaps is found with a number of requests that grows with the logarithm of the list', async () => {
    for (const [count, most] of [
      [1000, 6],
      [100_000, 13],
    ] as const) {
      const ids = sparse(count)
      for (const at of [100, 101, Math.floor(count / 3), count - 2, count - 1]) {
        const { found, pages } = await search(ids, ids[at] as number)
        expect(found).toBe(ids[at])
        expect(pages).toBeLessThanOrEqual(most)
      }
    }
  })
  test('every id of a list is found, whatever its length and its gaps', async () => {
    for (const ids of [dense(257), sparse(257), sparse(110), dense(101)])
      for (const id of ids) expect((await search(ids, id)).found).toBe(id)
  })
  test('is found in another order, and without a total, on the page that has it', async () => {
    const ids = dense(1000).reverse()
    expect(await search(ids, 350)).toEqual({ found: 350, pages: 7 })
    expect(
      (
        await search(
          [...ids].sort((a, b) => (a % 7) - (b % 7)),
          350,
        )
      ).found,
    ).toBe(350)
    expect((await search(dense(1000), 350, { hasTotal: false })).found).toBe(350)
  })
  test('is found where the platform has smaller pages than requested', async () => {
    for (const id of [16, 17, 150, 299, 300]) expect((await search(dense(300), id, { maxPerPage: 7 })).found).toBe(id)
  })
  test('beyond 2^53 is compared with all digits', async () => {
    const ids = dense(300).map((n) => String(9_007_199_254_740_993n + BigInt(n)))
    expect((await search(ids, ids[250] as string)).found).toBe(ids[250])
  })
  test('that does not exist is reported after all pages', async () => {
    expect((await search(sparse(1000), 41 * 40)).found).toBeUndefined()
    expect((await search(dense(1000), 5000)).found).toBeUndefined()
  })
})
