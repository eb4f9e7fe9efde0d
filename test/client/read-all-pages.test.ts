import { describe, expect, test } from 'vitest'
import { paginate } from '../../src/client/paginate.ts'
import { readAllItems } from '../../src/client/read-all-pages.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { assistants } from '../../src/contract/resources/assistants.ts'
import { conversations } from '../../src/contract/resources/conversations.ts'
import { numbers } from '../../src/contract/resources/numbers.ts'
import { tools } from '../../src/contract/resources/tools.ts'
import { answer, failureOf, playing } from '../support/scripted-client.ts'

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({ id: from + i }))

/** 25 items, as resource collections of the framework are paged: `{data, links, meta}`. */
function collection(kind: 'meta' | 'pagination' | 'cursor' | 'total'): (request: PlainRequest) => PlainResponse {
  return ({ url }) => {
    const query = new URL(url, 'http://x').searchParams
    const size = 10
    const page = kind === 'cursor' ? Number(query.get('cursor') ?? 1) : Number(query.get('page') ?? 1)
    const data = range((page - 1) * size + 1, Math.min(25, page * size))
    const next = page < 3 ? `http://x/list?page=${page + 1}` : null
    const paging = { current_page: page, last_page: 3, per_page: size, total: 25 }
    if (kind === 'meta')
      return answer(200, { data, links: { first: '', last: '', prev: null, next }, meta: { ...paging, links: [] } })
    if (kind === 'pagination') return answer(200, { data, pagination: paging })
    if (kind === 'cursor')
      return answer(200, { data, links: { next }, meta: { next_cursor: page < 3 ? String(page + 1) : null } })
    return answer(200, { data, meta: { total: 25 } })
  }
}
const idsOf = (items: readonly unknown[]): number[] => items.map((it) => Number((it as { id: number }).id))
const all = range(1, 25).map((it) => it.id)

describe('a list whose pages have another envelope', () => {
  test.each(['meta', 'pagination', 'cursor'] as const)('is read completely: %s', async (kind) => {
    const { call } = playing([collection(kind)])
    expect(idsOf(await readAllItems(call, conversations.list, {}))).toEqual(all)
  })

  test.each(['meta', 'pagination', 'cursor'] as const)(
    'reports that there is more if one page is requested: %s',
    async (kind) => {
      const found = paginate(playing([collection(kind)]).call, assistants.list, {})
      const items: unknown[] = []
      for await (const item of found) items.push(item)
      expect([items.length, found.hasMore]).toEqual([10, true])
      if (kind !== 'cursor') expect(found.total).toBe(25)
    },
  )

  test.each([numbers.list, tools.list])('is read completely if the contract has no pages: $name', async (endpoint) => {
    const { call } = playing([collection('meta')])
    const answered = (await call(endpoint as typeof tools.list, {})) as unknown
    expect(idsOf(Array.isArray(answered) ? answered : (answered as { data: unknown[] }).data)).toEqual(all)
    const items: unknown[] = []
    for await (const item of paginate(playing([collection('meta')]).call, endpoint as never, {} as never))
      items.push(item)
    expect(idsOf(items)).toEqual(all)
  })

  test('with fewer items than its total, and no next page, is never treated as complete', async () => {
    const found = paginate(playing([collection('total')]).call, conversations.list, {}, { all: true })
    for await (const _ of found);
    expect([found.isIncomplete, found.total]).toEqual([true, 25])
    expect(await failureOf(readAllItems(playing([collection('total')]).call, conversations.list, {}))).toMatchObject({
      exit: 'platform',
      code: 'list_cut_short',
      message: 'conversations.list: the platform reports 25 items but returned 10, and offers no way to read the rest.',
    })
  })
})

describe('a number that JavaScript would round', () => {
  test('has all its digits, anywhere in a response', async () => {
    const text = '[{"id":9007199254740993,"x":[{"y":-12345678901234567890}]},{"id":1}]'
    const { call } = playing([{ status: 200, headers: { 'content-type': 'application/json' }, body: text }])
    expect(await call(tools.list, {})).toEqual([
      { id: 9007199254740993n, x: [{ y: -12345678901234567890n }] },
      { id: 1 },
    ])
  })

  test('is the id of a purchase', async () => {
    const body = '{"message":"ok","data":{"id":9007199254740993,"phone_number":"+15005550006"}}'
    const { call } = playing([{ status: 201, headers: { 'content-type': 'application/json' }, body }])
    expect(await call(numbers.buy, { phone_number: '+15005550006' })).toMatchObject({ data: { id: 9007199254740993n } })
  })

  test('is accepted as text, as a fraction, or within the range', async () => {
    const text =
      '[{"id":9007199254740991,"name":"9007199254740993 \\"12345678901234567890\\"","description":"","price":0.12345678901234567890,"far":1e30}]'
    const { call } = playing([{ status: 200, headers: { 'content-type': 'application/json' }, body: text }])
    expect((await call(tools.list, {}))[0]).toMatchObject({ id: 9007199254740991 })
  })
})
