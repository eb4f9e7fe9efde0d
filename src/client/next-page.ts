import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { isObject } from '../contract/values/json-object.ts'
import { property } from './response-body.ts'

type Fields = Readonly<Record<string, unknown>>

/** Envelopes of responses that were reduced to the array of the contract, by this array: a copy of it has no next page. */
const envelopes = new WeakMap<object, Fields>()

/**
 * Returns the list from an envelope (`{data, links, meta}`) that a deployment added to a bare list. Other values are
 * returned unchanged.
 */
export function unwrapList(endpoint: Endpoint, json: unknown): unknown {
  if (endpoint.items !== '' || !isObject(json)) return json
  const list = json.data
  if (!Array.isArray(list)) return json
  return list
}

/** Remembers the envelope of a list, which contains the next page. */
export function rememberEnvelope(list: unknown, json: unknown): void {
  if (Array.isArray(list) && isObject(json)) envelopes.set(list, json)
}

/** Returns the pagination fields of an envelope: at the top, under `meta` and under `pagination`. */
function paginationOf(answer: unknown): Fields {
  const envelope = Array.isArray(answer) ? envelopes.get(answer) : isObject(answer) ? answer : undefined
  if (!envelope) return {}
  const { meta, pagination, links } = envelope
  const next = property(links, 'next')
  return {
    ...(typeof next === 'string' && { next_page_url: next }),
    ...(isObject(pagination) && pagination),
    ...(isObject(meta) && meta),
    ...envelope,
  }
}

const number = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined

/** Returns the total number of items of a list, if the response contains it. */
export const totalOf = (answer: unknown): number | undefined => number(paginationOf(answer).total)

/** Returns the request fields for the next page; undefined at the end. */
export function nextPage(answer: unknown): Fields | undefined {
  const {
    next_cursor: cursor,
    next_page_url: url,
    current_page,
    last_page,
    per_page,
    total: all,
  } = paginationOf(answer)
  const [current, last, size, total] = [current_page, last_page, per_page, all].map(number)
  if (typeof cursor === 'string' && cursor !== '') return { cursor, page: undefined }
  const query = typeof url === 'string' ? new URLSearchParams(url.slice(url.indexOf('?') + 1)) : undefined
  const urlCursor = query?.get('cursor')
  if (urlCursor) return { cursor: urlCursor, page: undefined }
  if (current === undefined) return query?.get('page') ? { page: Number(query.get('page')) } : undefined
  const isMore =
    url === null
      ? false
      : query !== undefined ||
        (last !== undefined ? current < last : size !== undefined && total !== undefined && current * size < total)
  return isMore ? { page: current + 1 } : undefined
}

/** Returns whether the contract defines pages for a list. Then the caller requests further pages. */
export const hasPages = ({ paged, query }: Endpoint): boolean =>
  paged === true ||
  (query !== undefined && (Object.hasOwn(query.shape, 'cursor') || Object.hasOwn(query.shape, 'page')))
