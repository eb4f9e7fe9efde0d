import type * as z from 'zod'
import type { pageEnvelope } from '../../contract/mechanics/field-schemas.ts'

type Page<T> = Omit<z.output<ReturnType<typeof pageEnvelope<z.ZodType>>>, 'data'> & { data: T[] }
type Link = Page<never>['links'][number]

/** What a page is made of besides its items. */
export interface PageOptions {
  /** How many there are in all, on every page. */
  readonly total: number
  /** The endpoint's path, without parameters in braces. */
  readonly path: string
  /** Scheme and host; empty where there is none. */
  readonly origin: string
  /** The query as it was understood: the addresses of the other pages keep its filters. */
  readonly input: { readonly page: number; readonly per_page: number }
}

/** Numbers shown on each side of the page one is at, before the rest is left out. */
const pagesPerSide = 3

/** The envelope of section 4.8. A page out of range is an empty one. */
export function toPage<T>(items: readonly T[], { total, path, origin, input }: PageOptions): Page<T> {
  const { page, per_page, ...filters } = input
  const address = origin + path
  const last = Math.max(1, Math.ceil(total / per_page))
  const from = (page - 1) * per_page + 1
  const given = Object.entries({ ...filters, per_page }).filter(([, value]) => value !== undefined && value !== null)
  const url = (n: number): string =>
    `${address}?${new URLSearchParams([...given.map(([name, value]): [string, string] => [name, String(value)]), ['page', String(n)]])}`
  const previous = page > 1 ? url(page - 1) : null
  const next = page < last ? url(page + 1) : null
  const number = (n: number | null): Link =>
    n === null ? { url: null, label: '...', active: false } : { url: url(n), label: String(n), active: n === page }
  return {
    current_page: page,
    data: [...items],
    first_page_url: url(1),
    from: items.length > 0 ? from : null,
    last_page: last,
    last_page_url: url(last),
    links: [
      { url: previous, label: '&laquo; Previous', active: false },
      ...pageNumbersAround(page, last).map(number),
      { url: next, label: 'Next &raquo;', active: false },
    ],
    next_page_url: next,
    path: address,
    per_page,
    prev_page_url: previous,
    to: items.length > 0 ? from + items.length - 1 : null,
    total,
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** The pages linked to: all of a few, else both ends and those around the page one is at, with null for what is left out. */
function pageNumbersAround(page: number, last: number): (number | null)[] {
  const near = pagesPerSide + 4
  if (last < near + pagesPerSide + 4) return range(1, last)
  const [start, end] = [
    [1, 2],
    [last - 1, last],
  ]
  if (page <= near) return [...range(1, near + pagesPerSide), null, ...end]
  if (page > last - near) return [...start, null, ...range(last - near - pagesPerSide + 1, last)]
  return [...start, null, ...range(page - pagesPerSide, page + pagesPerSide), null, ...end]
}
