import type * as z from 'zod'
import type { pageEnvelope } from '../../../contract/endpoint/field-schemas.ts'

type Page<T> = Omit<z.output<ReturnType<typeof pageEnvelope<z.ZodType>>>, 'data'> & { data: T[] }
type Link = Page<never>['links'][number]

/** The properties of a page besides its items. */
interface PageOptions {
  /** Total number of items on all pages. */
  readonly total: number
  /** Path of the endpoint, without parameters in braces. */
  readonly path: string
  /** Scheme and host; empty for requests in process. */
  readonly origin: string
  /** The parsed query. The URLs of the other pages retain its filters. */
  readonly input: { readonly page: number; readonly per_page: number }
}

/** Page numbers shown on each side of the current page. */
const pagesPerSide = 3

/** Returns the page envelope of section 4.8. A page out of range is empty. */
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

/**
 * Returns the page numbers to link: all if there are few, else both ends and the surroundings of the current page, with
 * null for gaps.
 */
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
