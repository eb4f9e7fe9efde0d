import { property } from '../../../client/response-body.ts'
import { schemaDefinition, unwrap } from '../../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import type { Difference } from '../../../contract/mechanics/response-differences.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { drift } from './conformance-report.ts'

const parameter = (url: unknown, name: string): string | null =>
  typeof url === 'string' && url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(name) : null

/** Returns whether a list is paged by cursor; the envelope of section 4.8 does not apply to it. */
export const isCursorPaged = (answer: unknown): boolean => isObject(answer) && Object.hasOwn(answer, 'next_cursor')

/**
 * Returns contradictions in a page envelope, among its fields or with the request (section 4.8). Only fields in the
 * contract of the list with the right type are checked; other errors are differences of the response itself.
 */
export function envelopeDifferences(
  endpoint: Endpoint,
  answer: unknown,
  query: Readonly<Record<string, unknown>>,
  perPage: number,
): Difference[] {
  const { page = 1, ...filters } = query
  const current = Number(page)
  const total = property(answer, 'total')
  const data = property(answer, 'data')
  if (typeof total !== 'number' || !Array.isArray(data)) return []
  const shape = schemaDefinition(unwrap(endpoint.output).base).shape ?? {}
  const found: Difference[] = []
  const last = Math.max(1, Math.ceil(total / perPage))
  const count = Math.max(0, Math.min(perPage, total - (current - 1) * perPage))
  const expectNumber = (name: string, expected: number | null): void => {
    const seen = property(answer, name)
    if (Object.hasOwn(shape, name) && (typeof seen === 'number' || seen === null) && seen !== expected)
      found.push(drift(name, String(expected), String(seen)))
  }
  expectNumber('current_page', current)
  expectNumber('per_page', perPage)
  expectNumber('last_page', last)
  expectNumber('from', count > 0 ? (current - 1) * perPage + 1 : null)
  expectNumber('to', count > 0 ? (current - 1) * perPage + count : null)
  if (data.length !== count) found.push(drift('data', `${count} items of ${total}`, `${data.length} items`))

  const expectPageLink = (path: string, url: unknown, wanted: number | null): void => {
    if (typeof url !== 'string' && url !== null) return
    if (wanted === null ? url !== null : url === null)
      found.push(drift(path, wanted === null ? 'null' : `the URL of page ${wanted}`, url === null ? 'null' : 'a URL'))
    else if (wanted !== null && parameter(url, 'page') !== String(wanted))
      found.push(drift(path, `page=${wanted}`, `page=${parameter(url, 'page')}`))
    else if (wanted !== null)
      for (const [name, value] of Object.entries(filters))
        if (parameter(url, name) !== null ? parameter(url, name) !== String(value) : isNeutralFilter(name))
          found.push(drift(path, `${name}=${value}`, `${name}=${parameter(url, name)}`))
  }
  const [next, previous] = [current < last ? current + 1 : null, current > 1 ? current - 1 : null]
  if (Object.hasOwn(shape, 'next_page_url')) expectPageLink('next_page_url', property(answer, 'next_page_url'), next)
  if (Object.hasOwn(shape, 'prev_page_url'))
    expectPageLink('prev_page_url', property(answer, 'prev_page_url'), previous)
  if (Object.hasOwn(shape, 'first_page_url')) expectPageLink('first_page_url', property(answer, 'first_page_url'), 1)
  if (Object.hasOwn(shape, 'last_page_url')) expectPageLink('last_page_url', property(answer, 'last_page_url'), last)
  const links = property(answer, 'links')
  if (Object.hasOwn(shape, 'links') && Array.isArray(links) && links.every(isObject)) {
    const active = links.filter((it) => it.active === true).map((it) => String(it.label))
    if (current <= last && active.join() !== String(current))
      found.push(
        drift('links.*.active', `page ${current}`, active.length > 0 ? `page ${active.join(', ')}` : 'no page'),
      )
    if (links.length > 1) {
      expectPageLink('links.*.url', links[0]?.url, previous)
      expectPageLink('links.*.url', links.at(-1)?.url, next)
    }
    const numbered = links.filter((it) => /^\d+$/.test(String(it.label)))
    if (numbered.some((it) => typeof it.url === 'string' && parameter(it.url, 'page') !== String(it.label)))
      found.push(drift('links.*.url', 'the page in its label', 'another page'))
  }
  const path = property(answer, 'path')
  const first = property(answer, 'first_page_url')
  if (
    Object.hasOwn(shape, 'path') &&
    typeof path === 'string' &&
    typeof first === 'string' &&
    (path.includes('?') || first.split('?')[0] !== path)
  )
    found.push(drift('path', 'the URL without its query', 'another URL'))
  return found
}

/** Returns whether a filter has the same name in every vocabulary. */
const isNeutralFilter = (name: string): boolean =>
  name === 'per_page' || name === 'status' || name === 'campaign_id' || name === 'date_from' || name === 'date_to'
