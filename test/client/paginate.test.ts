import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { itemsOf, type PagedItems, type PagesOptions, paginate } from '../../src/client/paginate.ts'
import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import { pageEnvelope, pageParameters } from '../../src/contract/endpoint/field-schemas.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { keys } from '../../src/contract/resources/keys.ts'
import { tools } from '../../src/contract/resources/tools.ts'
import { answer, failureOf, playing } from '../support/scripted-client.ts'

const conversations: Endpoint = {
  name: 'conversations.list',
  method: 'GET',
  path: '/api/user/conversations',
  summary: '',
  query: z.object(pageParameters(15)),
  status: 200,
  output: pageEnvelope(z.object({ id: z.int() })),
  errors: [],
  risk: 'read',
  section: '4.8',
  items: 'data',
  paged: true,
}
const item = (id: number) => ({ id })
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => item(from + i))

/** A list of `count` items in pages, as section 4.8 has them. */
function listOf(count: number, pushed = 0) {
  return (request: PlainRequest): PlainResponse => {
    const query = new URL(request.url, 'http://x').searchParams
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 15)]
    const all = range(1, count)
    const shift = page > 1 ? pushed : 0
    const last = Math.max(1, Math.ceil(count / size))
    return answer(200, {
      current_page: page,
      data: all.slice(Math.max(0, (page - 1) * size - shift), page * size - shift),
      last_page: last,
      per_page: size,
      total: count,
      next_page_url: page < last ? `https://platform.test/api/user/conversations?page=${page + 1}` : null,
    })
  }
}

async function readPages(list: PagedItems<unknown>): Promise<number[][]> {
  const pages: number[][] = []
  for await (const page of list.pages()) pages.push(page.map((item) => (item as { id: number }).id))
  return pages
}

async function read(list: PagedItems<unknown>): Promise<number[]> {
  const ids: number[] = []
  for await (const item of list) ids.push((item as { id: number }).id)
  return ids
}

function listing(
  step: (request: PlainRequest) => PlainResponse,
  options: PagesOptions = {},
  input: Record<string, unknown> = {},
) {
  const { call, requests } = playing([step])
  return {
    list: paginate(call, conversations, input as never, options),
    urls: () => requests.map((it) => it.url.replace('/api/user/conversations', '')),
  }
}

describe('a paged list', () => {
  test('is one page by default, and reports that there is more', async () => {
    const { list, urls } = listing(listOf(40))
    expect(await read(list)).toHaveLength(15)
    expect([list.hasMore, list.total, urls()]).toEqual([true, 40, ['']])
  })

  test('is read completely in the largest pages', async () => {
    const { list, urls } = listing(listOf(250), { all: true })
    expect(await read(list)).toEqual(range(1, 250).map((it) => it.id))
    expect([list.hasMore, list.total]).toEqual([false, 250])
    expect(urls()).toEqual(['?per_page=100', '?per_page=100&page=2', '?per_page=100&page=3'])
  })

  test('stops at the limit, and knows whether there is more', async () => {
    const cut = listing(listOf(250), { limit: 120 })
    expect(await read(cut.list)).toHaveLength(120)
    expect([cut.list.hasMore, cut.urls().length]).toEqual([true, 2])
    const exact = listing(listOf(20), { limit: 20 })
    expect(await read(exact.list)).toHaveLength(20)
    expect([exact.list.hasMore, exact.urls()]).toEqual([false, ['?per_page=20']])
    const edge = listing(listOf(300), { limit: 200 })
    await read(edge.list)
    expect([edge.list.hasMore, edge.urls().length]).toEqual([true, 2])
  })

  test('is also read by page, without repeated items and cut at the limit', async () => {
    const { list } = listing(listOf(25, 1), { limit: 21 }, { per_page: 10 })
    const pages = await readPages(list)
    expect(pages.map((it) => it.length)).toEqual([10, 9, 2])
    expect(pages.flat()).toEqual(range(1, 21).map((it) => it.id))
    expect(list.hasMore).toBe(true)
  })

  test('uses the page and size that the user chose', async () => {
    const { list, urls } = listing(listOf(40), { all: true }, { page: 2, per_page: 10 })
    expect(await read(list)).toEqual(range(11, 40).map((it) => it.id))
    expect(urls()[0]).toBe('?page=2&per_page=10')
  })

  test('yields the first items before the second page is requested', async () => {
    const { list, urls } = listing(listOf(40), { all: true }, { per_page: 10 })
    for await (const _ of list) break
    expect(urls()).toHaveLength(1)
  })

  test('yields no item twice if a new item moves one to the next page', async () => {
    const { list } = listing(listOf(40, 1), { all: true }, { per_page: 10 })
    expect(await read(list)).toEqual(range(1, 39).map((it) => it.id))
  })

  test('uses the total if the response has no URL of a next page', async () => {
    const { list } = listing(
      (request) => {
        const page = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1)
        return answer(200, {
          data: range(page * 2 - 1, Math.min(page * 2, 5)),
          current_page: page,
          per_page: 2,
          total: 5,
        })
      },
      { all: true },
    )
    expect(await read(list)).toEqual([1, 2, 3, 4, 5])
    expect(list.hasMore).toBe(false)
  })

  test('uses cursors if the deployment has them', async () => {
    const { list, urls } = listing(
      (request) => {
        const cursor = new URL(request.url, 'http://x').searchParams.get('cursor')
        return answer(
          200,
          cursor === 'b='
            ? { data: range(3, 4), next_cursor: null }
            : { data: range(1, 2), next_cursor: 'b=', path: '/x', per_page: 2 },
        )
      },
      { all: true },
    )
    expect(await read(list)).toEqual([1, 2, 3, 4])
    expect(urls()[1]).toBe('?per_page=100&cursor=b%3D')
    expect(list.hasMore).toBe(false)
  })

  test('that never ends is an error', async () => {
    const stuck = listing(
      () => answer(200, { data: range(1, 2), current_page: 1, last_page: 9, next_page_url: '/x?page=2' }),
      { all: true },
    )
    expect(await failureOf(read(stuck.list))).toMatchObject({ exit: 'platform', code: 'endless_pages' })
    const cursor = listing(() => answer(200, { data: range(1, 2), next_cursor: 'same' }), { all: true })
    expect(await failureOf(read(cursor.list))).toMatchObject({ exit: 'platform', code: 'endless_pages' })
    expect(cursor.urls()).toHaveLength(2)
    const empty = listing(() => answer(200, { data: [], current_page: 1, last_page: 9 }), { all: true })
    expect(await read(empty.list)).toEqual([])
  })

  test.each([
    [undefined, false],
    [2, false],
    [5, true],
  ])('that ends with an empty page and a total of %s is incomplete: %s', async (total, isIncomplete) => {
    const { list } = listing(
      (request) => {
        const page = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1)
        const data = page === 1 ? range(1, 2) : []
        return answer(200, { data, current_page: page, last_page: 9, next_page_url: `/x?page=${page + 1}`, total })
      },
      { all: true },
    )
    expect(await read(list)).toEqual([1, 2])
    expect(list.isIncomplete).toBe(isIncomplete)
  })

  test('that fails in the middle has yielded the items before', async () => {
    const { call } = playing([listOf(250), answer(500, { message: 'Server Error' })])
    const got: unknown[] = []
    const reading = (async () => {
      for await (const item of paginate(call, conversations, {} as never, { all: true })) got.push(item)
    })()
    expect(await failureOf(reading)).toMatchObject({ exit: 'platform', status: 500 })
    expect(got).toHaveLength(100)
  })
})

describe('a list without pages', () => {
  test('is returned completely, or up to a limit', async () => {
    const { call } = playing([answer(200, { api_keys: range(1, 3) })])
    const all = paginate(call, keys.list, {}, { all: true })
    expect([await read(all), all.hasMore, all.lastPage]).toEqual([[1, 2, 3], false, { api_keys: range(1, 3) }])
    const some = paginate(call, keys.list, {}, { limit: 2 })
    expect([await read(some), some.hasMore]).toEqual([[1, 2], true])
  })

  test('reports that there is more if it is left early', async () => {
    const list = paginate(playing([answer(200, { api_keys: range(1, 3) })]).call, keys.list, {})
    for await (const _ of list) break
    expect(list.hasMore).toBe(true)
  })

  test('can be a bare array', async () => {
    expect(await read(paginate(playing([answer(200, range(1, 2))]).call, tools.list, {}))).toEqual([1, 2])
    expect(itemsOf(tools.list, range(1, 2))).toHaveLength(2)
    expect(itemsOf(keys.list, { api_keys: range(1, 2) })).toHaveLength(2)
    expect(itemsOf(keys.list, { data: [] })).toEqual([])
  })
})
