import type { Endpoint } from '../contract/mechanics/endpoint.ts'
import { isObject, property } from './response-body.ts'

type Fields = Readonly<Record<string, unknown>>

/** Envelopes of answers that were reduced to the array the contract says they are. */
const envelopes = new WeakMap<object, Fields>()

/** A bare list that a deployment put into an envelope (`{data, links, meta}`): the list itself. Anything else stays as it is. */
export function unwrapList(endpoint: Endpoint, json: unknown): unknown {
  if (endpoint.items !== '' || !isObject(json)) return json
  const list = json.data
  if (!Array.isArray(list)) return json
  return list
}

/** Remembers the envelope that `list` came in, for whoever looks for the next page. */
export function rememberEnvelope(list: unknown, json: unknown): void {
  if (Array.isArray(list) && isObject(json)) envelopes.set(list, json)
}

/** Everything an envelope says of its pages, whether at its top, under `meta` or under `pagination`. */
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

const number = (it: unknown): number | undefined =>
  typeof it === 'number' ? it : typeof it === 'string' && /^\d{1,15}$/.test(it) ? Number(it) : undefined

/** How many items a list has in all, where its answer says so. */
export const totalOf = (answer: unknown): number | undefined => number(paginationOf(answer).total)

/** Fields of the request for the next page; undefined at the end. */
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

/** Whether the contract knows that a list comes in pages: then it is the caller who asks for more of them. */
export const hasPages = ({ paged, query }: Endpoint): boolean =>
  paged === true ||
  (query !== undefined && (Object.hasOwn(query.shape, 'cursor') || Object.hasOwn(query.shape, 'page')))
