import type { Endpoint, Input } from '../contract/endpoint/endpoint.ts'
import { isObject } from '../contract/values/json-object.ts'
import type { Call, CallSettings as CallMore } from './client.ts'
import { ClientFailure } from './failures/client-failure.ts'
import { nextPage } from './next-page.ts'
import { itemsOf, paginate } from './paginate.ts'

/**
 * Adds the items of the remaining pages to those of the `first` one. It is for lists that the contract returns in one
 * piece, and a deployment in pages.
 */
export async function appendRemainingPages(
  call: Call,
  endpoint: Endpoint,
  input: Input<Endpoint>,
  first: unknown,
  more?: CallMore,
): Promise<unknown> {
  const items = [...itemsOf(endpoint, first)]
  const next = nextPage(first)
  const known = new Set(items.map((it) => (isObject(it) ? it.id : undefined)))
  if (next) {
    for (const item of await readAllItems(call, endpoint, { ...(input as object), ...next }, more))
      if (!isObject(item) || item.id === undefined || !known.has(item.id)) items.push(item)
  }
  // The pagination fields of the envelope no longer apply.
  const {
    meta: _,
    links: __,
    pagination: ___,
    next_page_url: ____,
    next_cursor: _____,
    ...rest
  } = isObject(first) ? first : {}
  return endpoint.items === '' ? items : { ...rest, [endpoint.items as string]: items }
}

/** Options of reading a whole list. */
interface ReadOptions extends CallMore {
  /** Called after each page with the number of items so far, and the total if the platform reports it. */
  readonly onProgress?: (read: number, total: number | undefined) => void
}

/**
 * Returns all items of a list, from the first page or the one that `input` names.
 * @throws ClientFailure `platform` when the platform returned fewer items than its total, because comparisons need the
 * complete list
 */
export async function readAllItems<T = unknown>(
  call: Call,
  endpoint: Endpoint,
  input: Input<Endpoint>,
  { onProgress, ...more }: ReadOptions = {},
): Promise<T[]> {
  const found = paginate<Endpoint, T>(call, endpoint, input, { ...more, all: true })
  const items: T[] = []
  for await (const page of found.pages()) {
    for (const item of page) items.push(item)
    onProgress?.(items.length, found.total)
  }
  if (!found.isIncomplete) return items
  throw new ClientFailure({
    exit: 'platform',
    code: 'list_cut_short',
    message: `${endpoint.name}: the platform reports ${found.total} items but returned ${items.length}, and offers no way to read the rest.`,
    hint: 'Run the command again with --debug to see the responses.',
    sent: true,
  })
}
