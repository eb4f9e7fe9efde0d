import type { Endpoint, Input } from '../contract/endpoint/endpoint.ts'
import { maxPerPage } from '../contract/values/page-size.ts'
import type { Call, CallSettings } from './client.ts'
import { hasPages } from './next-page.ts'
import { itemsOf, paginate } from './paginate.ts'
import { property } from './response-body.ts'

/**
 * Finds the item with an id in a list of a kind that has no endpoint for a single one. The page that must have it in a list in
 * the order of ids is searched, in a number of requests that grows with the logarithm of the list. An id that is not found in
 * this way, as in a list in another order, is looked for on every page.
 */
export async function findItem<T = unknown>(
  call: Call,
  endpoint: Endpoint,
  input: Input<Endpoint>,
  id: number | string,
  more?: CallSettings,
): Promise<T | undefined> {
  const isIt = (item: unknown): boolean => String(property(item, 'id')) === String(id)
  const found = paginate<Endpoint, T>(call, endpoint, input, { ...more, all: true })
  let isFirst = true
  for await (const items of found.pages()) {
    const known = items.find(isIt)
    if (known !== undefined) return known
    const read = async (page: number): Promise<readonly unknown[]> =>
      itemsOf(endpoint, (await call.raw(endpoint, { ...(input as object), per_page: maxPerPage, page }, more)).output)
    const canSearch = isFirst && found.hasMore && hasPages(endpoint)
    const page = canSearch ? await searchPages(items, found.total, Number(id), read) : undefined
    const item = page?.find(isIt)
    if (item !== undefined) return item as T
    isFirst = false
  }
  return undefined
}

const idOf = (item: unknown): number => Number(property(item, 'id'))

/**
 * Returns the page in which an id must be, of a list that begins with these items; undefined if it is not there. Without a
 * total, and for an id that is a text, nothing is searched.
 */
async function searchPages(
  first: readonly unknown[],
  total: number | undefined,
  id: number,
  read: (page: number) => Promise<readonly unknown[]>,
): Promise<readonly unknown[] | undefined> {
  const last = idOf(first.at(-1))
  if (id < last) return undefined
  // Positions of items before and after it. Ids are whole numbers, so that it is at most as far from another one as their ids.
  const size = first.length
  let low = size - 1
  let high = Math.min(total ?? 0, low + (id - last) + 1)
  for (let at = high - 1; low < at && at < high; at = Math.floor((low + high) / 2)) {
    const page = Math.floor(at / size) + 1
    const items = await read(page)
    const [start, end] = [items[0], items.at(-1)].map(idOf) as [number, number]
    if (items.length === 0 || id < start) high = (page - 1) * size
    else if (id > end) low = page * size - 1
    else return id >= start ? items : undefined
  }
  return undefined
}
