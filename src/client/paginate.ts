import type { Endpoint, Input } from '../contract/endpoint/endpoint.ts'
import { maxPerPage } from '../contract/values/page-size.ts'
import type { Call, CallSettings as CallMore } from './client.ts'
import { ClientFailure } from './failures/client-failure.ts'
import { hasPages, nextPage, totalOf } from './next-page.ts'
import { property } from './response-body.ts'

/** Options for reading a list. */
export interface PagesOptions extends CallMore {
  /** Reads all pages. */
  readonly all?: boolean
  /** Reads pages until this many items. */
  readonly limit?: number
}

/**
 * The items of a list, read page by page with one page in memory. Without `all` or `limit` this is one page, or all
 * pages of a list that the contract does not page.
 */
export interface PagedItems<T> extends AsyncIterable<T> {
  /** The same items by page, which is faster for long lists. Responses without new items are left out. */
  pages(): AsyncIterable<readonly T[]>
  /** Whether there are more items than those yielded so far; definite after the iteration. */
  readonly hasMore: boolean
  /** Total number of items, if the platform reports it. */
  readonly total: number | undefined
  /** Whether the platform returned fewer items than its total and offers no further page. */
  readonly isIncomplete: boolean
  /** The last page as the platform returned it. print-list.ts derives from it how further pages are read. */
  readonly lastPage: unknown
}

/** Returns the items in the response of a list. */
export function itemsOf(endpoint: Endpoint, answer: unknown): readonly unknown[] {
  const items = endpoint.items === undefined || endpoint.items === '' ? answer : property(answer, endpoint.items)
  return Array.isArray(items) ? items : []
}

/** Returns the input with the largest page size, unless the user chose a page or a size. */
function withPageSize(endpoint: Endpoint, input: Fields, { all, limit }: PagesOptions): Fields {
  const takesSize = endpoint.query !== undefined && Object.hasOwn(endpoint.query.shape, 'per_page')
  if (!takesSize || input.per_page !== undefined || input.page !== undefined) return input
  if (limit !== undefined) return { ...input, per_page: Math.min(maxPerPage, Math.max(1, limit)) }
  return all ? { ...input, per_page: maxPerPage } : input
}

type Fields = Record<string, unknown>

/**
 * Reads a list page by page, by page numbers or cursors as the platform responds. @throws ClientFailure, also when the
 * pages form a loop
 */
export function paginate<E extends Endpoint, T = unknown>(
  call: Call,
  endpoint: E,
  input: Input<E>,
  options: PagesOptions = {},
): PagedItems<T> {
  const state = { more: false, total: undefined as number | undefined, isShort: false, envelope: undefined as unknown }
  const { all = false, limit, ...callMore } = options
  const wantsAll = all || (!hasPages(endpoint) && limit === undefined)
  const isFromStart = (input as Fields).page === undefined || (input as Fields).page === 1

  async function* run(): AsyncGenerator<T> {
    for await (const items of pages()) {
      const hasMore = state.more
      for (const [index, item] of items.entries()) {
        state.more = hasMore || index < items.length - 1
        yield item
      }
    }
  }

  async function* pages(): AsyncGenerator<readonly T[]> {
    let pageInput: Fields = withPageSize(endpoint, input as Fields, options)
    let given = 0
    let read = 0
    let before: ReadonlySet<unknown> = new Set()
    for (;;) {
      const { output: answer } = await call.raw(endpoint as Endpoint, pageInput, callMore)
      const items = itemsOf(endpoint, answer)
      const next = nextPage(answer)
      const total = totalOf(answer)
      state.envelope = answer
      state.total = total
      state.more = next !== undefined
      read += items.length
      state.isShort = next === undefined && isFromStart && total !== undefined && read < total
      const ids = new Set(items.map(itemId).filter((it) => it !== undefined))
      // A new item at the front moved others over from the previous page.
      const fresh = before.size === 0 ? items : items.filter((it) => !before.has(itemId(it)))
      const shown = limit === undefined ? fresh : fresh.slice(0, limit - given)
      given += shown.length
      state.more = next !== undefined || shown.length < fresh.length
      if (shown.length > 0) yield shown as readonly T[]
      if (next === undefined || given === limit || (!wantsAll && limit === undefined)) return
      if (items.length === 0) {
        state.more = false
        state.isShort = total !== undefined && read < total
        return
      }
      if (isLoop(next, pageInput)) throw endlessPagesFailure(endpoint)
      before = ids
      pageInput = { ...pageInput, ...next }
    }
  }

  return {
    [Symbol.asyncIterator]: run,
    pages,
    get hasMore() {
      return state.more
    },
    get total() {
      return state.total
    },
    get isIncomplete() {
      return state.isShort
    },
    get lastPage() {
      return state.envelope
    },
  }
}

const itemId = (item: unknown): unknown => property(item, 'id')

/** Returns whether a deployment ignores the requested page and would return the same one forever. */
const isLoop = (next: Fields, requested: Fields): boolean =>
  next.cursor !== undefined
    ? next.cursor === requested.cursor
    : typeof requested.page === 'number' && typeof next.page === 'number' && next.page <= requested.page

const endlessPagesFailure = (endpoint: Endpoint): ClientFailure =>
  new ClientFailure({
    exit: 'platform',
    code: 'endless_pages',
    message: `The pages of ${endpoint.name} form a loop.`,
    hint: 'Read single pages with --page.',
    sent: true,
  })
