import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { pageEnvelope } from '../../../../src/contract/endpoint/field-schemas.ts'
import { toPage } from '../../../../src/platform/server/http/page-envelope.ts'

const path = '/api/user/assistants/get'
const pageAt = (page: number, total: number, per_page = 10, more: object = {}, origin = '') => {
  const from = (page - 1) * per_page
  const items = Array.from({ length: Math.max(0, Math.min(per_page, total - from)) }, (_, n) => from + n + 1)
  return toPage(items, { total, path, origin, input: { page, per_page, ...more } })
}
const labels = (page: number, last: number): string =>
  pageAt(page, last, 1)
    .links.slice(1, -1)
    .map((it) => (it.active ? `[${it.label}]` : it.label))
    .join(' ')

describe('a page', () => {
  test('in the middle links to itself, its neighbors and both ends', () => {
    expect(pageAt(2, 25)).toEqual({
      current_page: 2,
      data: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
      first_page_url: `${path}?per_page=10&page=1`,
      from: 11,
      last_page: 3,
      last_page_url: `${path}?per_page=10&page=3`,
      links: [
        { url: `${path}?per_page=10&page=1`, label: '&laquo; Previous', active: false },
        { url: `${path}?per_page=10&page=1`, label: '1', active: false },
        { url: `${path}?per_page=10&page=2`, label: '2', active: true },
        { url: `${path}?per_page=10&page=3`, label: '3', active: false },
        { url: `${path}?per_page=10&page=3`, label: 'Next &raquo;', active: false },
      ],
      next_page_url: `${path}?per_page=10&page=3`,
      path,
      per_page: 10,
      prev_page_url: `${path}?per_page=10&page=1`,
      to: 20,
      total: 25,
    })
  })

  test('of an empty list is the first and the last', () => {
    expect(pageAt(1, 0)).toMatchObject({
      data: [],
      from: null,
      to: null,
      last_page: 1,
      total: 0,
      next_page_url: null,
      prev_page_url: null,
    })
    expect(pageAt(1, 0).links.map((it) => it.url)).toEqual([null, `${path}?per_page=10&page=1`, null])
  })

  test('out of range is empty and has no next page', () => {
    expect(pageAt(9, 25)).toMatchObject({
      current_page: 9,
      data: [],
      from: null,
      to: null,
      last_page: 3,
      next_page_url: null,
    })
  })

  test('keeps the filters in every URL, on the requested host', () => {
    const page = pageAt(1, 30, 10, { type: 'api', note: 'a b&c', missing: undefined }, 'https://platform.example')
    expect(page.next_page_url).toBe(`https://platform.example${path}?type=api&note=a+b%26c&per_page=10&page=2`)
    expect(page.path).toBe(`https://platform.example${path}`)
  })

  test('links to all of few pages, and to the ends and the neighbors of many', () => {
    expect(labels(2, 13)).toBe('1 [2] 3 4 5 6 7 8 9 10 11 12 13')
    expect(labels(1, 20)).toBe('[1] 2 3 4 5 6 7 8 9 10 ... 19 20')
    expect(labels(7, 20)).toBe('1 2 3 4 5 6 [7] 8 9 10 ... 19 20')
    expect(labels(8, 20)).toBe('1 2 ... 5 6 7 [8] 9 10 11 ... 19 20')
    expect(labels(14, 20)).toBe('1 2 ... 11 12 13 14 15 16 17 18 19 20'.replace('14', '[14]'))
    expect(labels(20, 20)).toBe('1 2 ... 11 12 13 14 15 16 17 18 19 [20]')
  })

  test('always follows the contract, and links lead from the first to the last', () => {
    const schema = pageEnvelope(z.int())
    fc.assert(
      fc.property(fc.nat(400), fc.integer({ min: 1, max: 100 }), (total, size) => {
        const seen: number[] = []
        for (let n: number | undefined = 1; n !== undefined; ) {
          const page = pageAt(n, total, size)
          expect(schema.safeParse(page).success).toBe(true)
          expect(page.links.filter((it) => it.active).map((it) => it.label)).toEqual([String(n)])
          seen.push(...page.data)
          n =
            page.next_page_url === null
              ? undefined
              : Number(new URLSearchParams(page.next_page_url.split('?')[1]).get('page'))
        }
        expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1))
      }),
      { seed: 4008, numRuns: 60 },
    )
  })
})
