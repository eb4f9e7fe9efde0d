import { property } from '../../../client/response-body.ts'
import { defaultOf } from '../../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import type { Difference } from '../../../contract/mechanics/response-differences.ts'
import { stringifyJson } from '../../../node/json.ts'
import { catalogueDifferences } from './catalogue-differences.ts'
import { drift } from './conformance-report.ts'
import { type Answer, type ConformanceSession, type Fields, idOf, isSuccess, rowsOf } from './conformance-session.ts'
import { listOrder, sharedLists } from './endpoint-tables.ts'
import { expectRejected } from './field-rejection.ts'
import { checkFilters } from './filter-checks.ts'
import { envelopeDifferences, isCursorPaged } from './page-envelope.ts'

/** How thoroughly a list is checked. */
export interface ListDepth {
  /** The account is new and has no resources. */
  readonly isEmpty: boolean
  /** Also checks pages and filters, which takes many requests. */
  readonly isDeep: boolean
}

/** Maximum number of rows that are all read to be counted. */
const maxCountedRows = 1000

/** Checks a list beyond its response format: ids, pages, filters, order, and rows in an empty account. */
export async function checkList(
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  first: Answer,
  { isEmpty, isDeep }: ListDepth,
): Promise<void> {
  const rows = rowsOf(endpoint, first.output)
  session.report.add(endpoint.name, 'rows', rowDifferences(endpoint, rows, isEmpty))
  if (session.isParley || listOrder[endpoint.name]?.isDocumented)
    session.report.add(endpoint.name, 'order', orderDifferences(endpoint, rows))
  if (endpoint.name === 'automate.templates')
    session.report.add(endpoint.name, 'catalogue', await catalogueDifferences(rows))
  if (!isDeep) return
  if (endpoint.paged && !isCursorPaged(first.output))
    session.report.add(endpoint.name, 'pages', await pageDifferences(session, endpoint, input, first))
  await checkFilters(session, endpoint, input, first)
}

function rowDifferences(endpoint: Endpoint, rows: readonly Fields[], isEmpty: boolean): Difference[] {
  const path = endpoint.items === '' ? '*' : `${endpoint.items}.*`
  const found: Difference[] = rows.flatMap((row) => contradictions(endpoint, path, row))
  const ids = rows.map(idOf).filter((it) => it !== undefined)
  if (new Set(ids).size < ids.length) found.push(drift(`${path}.id`, 'unique ids', 'a duplicate id'))
  if (isEmpty && !sharedLists.has(endpoint.name) && rows.length > 0)
    found.push(drift(path, 'no rows in a new account', 'rows'))
  if (
    rows.some(
      ({ created_at: made, updated_at: changed }) =>
        typeof made === 'string' && typeof changed === 'string' && made.length === changed.length && changed < made,
    )
  )
    found.push(drift(`${path}.updated_at`, 'a time not before created_at', 'an earlier time'))
  return found
}

/** Returns what contradicts itself in a row: fields that the specification derives from each other. */
function contradictions({ name }: Endpoint, path: string, row: Fields): Difference[] {
  const found: Difference[] = []
  const expect = (field: string, isMet: boolean, expected: string): void => {
    if (!isMet) found.push(drift(`${path}.${field}`, expected, 'another value'))
  }
  if (name === 'messaging.templates' && typeof row.body_text === 'string' && Array.isArray(row.variables)) {
    const placeholders = new Set(row.body_text.match(/\{\{\s*\w+\s*\}\}/g)).size
    expect('has_variables', row.has_variables === placeholders > 0, 'whether body_text has placeholders')
    expect('variables', row.variables.length === placeholders, 'one name for each placeholder of body_text')
  }
  if (name === 'messaging.senders' && row.messaging_limit === null)
    expect('messaging_limit_formatted', row.messaging_limit_formatted === 'Unlimited', 'Unlimited')
  if (name === 'messaging.senders' && typeof row.messaging_limit === 'number')
    expect('messaging_limit_formatted', row.messaging_limit_formatted !== 'Unlimited', 'the limit')
  if (name === 'numbers.search')
    for (const field of ['phone_number_formatted', 'payment_price_id']) expect(field, row[field] !== '', 'a value')
  return found
}

function orderDifferences({ name, items }: Endpoint, rows: readonly Fields[]): Difference[] {
  const order = listOrder[name]
  if (!order) return []
  const values = rows
    .map((it) => it[order.by])
    .filter((it): it is string | number => typeof it === 'string' || typeof it === 'number')
  const isBefore = (a: string | number, b: string | number): boolean =>
    typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b)
  const isWrong = values.slice(1).some((it, n) => {
    const before = values[n] as string | number
    return order.newest ? isBefore(before, it) : isBefore(it, before)
  })
  return isWrong
    ? [
        drift(
          `${items === '' ? '*' : `${items}.*`}.${order.by}`,
          order.newest ? 'newest first' : 'ascending order',
          'another order',
        ),
      ]
    : []
}

async function pageDifferences(
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  first: Answer,
): Promise<Difference[]> {
  const usual = Number(defaultOf(endpoint.query?.shape.per_page as never))
  const total = property(first.output, 'total')
  const found = envelopeDifferences(endpoint, first.output, { ...input }, usual)
  if (typeof total !== 'number') return found
  const page = async (query: Fields): Promise<readonly unknown[]> => {
    const answer = await session.send(endpoint, { ...input, ...query })
    const size = Number(query.per_page)
    const path = (it: Difference): Difference => ({ ...it, path: `${it.path} (page ${query.page} of ${size})` })
    if (!isSuccess(answer)) found.push(drift(`. (page ${query.page} of ${size})`, 'a page', `status ${answer.status}`))
    else found.push(...envelopeDifferences(endpoint, answer.output, { ...input, ...query }, size).map(path))
    const now = property(answer.output, 'total')
    if (isSuccess(answer) && typeof now === 'number' && now !== total)
      found.push(drift('total', `${total} on every page`, String(now)))
    return rowsOf(endpoint, answer.output).map(idOf)
  }
  const usualIds = rowsOf(endpoint, first.output).map(idOf)
  const near = [...(await page({ page: 1, per_page: 2 })), ...(await page({ page: 2, per_page: 2 }))]
  if (stringifyJson(near) !== stringifyJson(usualIds.slice(0, near.length)) || near.length < Math.min(4, total))
    found.push(drift('data (pages 1 and 2)', 'the first rows, in order', 'other rows'))
  await page({ page: Math.max(1, Math.ceil(total / 2)) + 1, per_page: 2 })
  if (total <= maxCountedRows) {
    const all: unknown[] = []
    for (let n = 1; n <= Math.max(1, Math.ceil(total / 100)); n++) all.push(...(await page({ page: n, per_page: 100 })))
    if (all.length !== total || new Set(all).size !== total)
      found.push(drift('total', `${total} rows on all pages`, `${new Set(all).size}`))
  }
  for (const [name, value] of [
    ['per_page', 0],
    ['per_page', 101],
    ['page', 0],
  ] as const)
    found.push(...(await expectRejected(session, endpoint, { ...input, [name]: value }, name, String(value))))
  return found
}
