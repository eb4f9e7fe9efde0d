// Checks of lists: filters, pages, totals and order. They only read.

import type * as z from 'zod'
import { property } from '../../../../client/response-body.ts'
import type { AutomationTemplate } from '../../../../contract/automations/automation-records.ts'
import {
  allowedValues,
  defaultOf,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import type { Difference } from '../../../../contract/endpoint/response-differences.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { maxPerPage } from '../../../../contract/values/page-size.ts'
import { toCatalogueEntry } from '../../../../engine/templates/template.ts'
import { templates } from '../../../../engine/templates/template-catalogue.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { drift } from './conformance-report.ts'
import { type Answer, type ConformanceSession, type Fields, idOf, isSuccess, rowsOf } from './conformance-session.ts'
import {
  absentFields,
  filtersRefusingUnknown,
  listOrder,
  sharedLists,
  unfilteredValue,
  unknownIds,
} from './endpoint-tables.ts'
import { expectRejected } from './refusal-differences.ts'

const paging = new Set(['page', 'per_page'])
/** Returns what identifies a row. Numbers for sale have no id. */
const rowIdentity = (row: Fields): unknown => row.id ?? row.key ?? row.phone_number
const idsOf = (endpoint: Endpoint, answer: Answer): string =>
  stringifyJson(rowsOf(endpoint, answer.output).map(rowIdentity))

interface FilterCheck {
  readonly session: ConformanceSession
  readonly endpoint: Endpoint
  readonly input: Fields
  /** Response without any of the filters. */
  readonly plain: Answer
  readonly rows: readonly Fields[]
  readonly found: Difference[]
}

/** Checks every parameter of a list except its pages: whether it filters, its default, and its rejections. */
export async function checkFilters(
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  plain: Answer,
): Promise<void> {
  const shape = (endpoint.query?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  const required = new Set(Object.keys(input))
  const names = Object.keys(shape).filter(
    (name) =>
      !paging.has(name) &&
      name !== endpoint.singleItem &&
      session.offersField(shape[name] as z.ZodType) &&
      !(required.has(name) && defaultOf(shape[name] as z.ZodType) === undefined),
  )
  if (names.length === 0) return
  const check: FilterCheck = { session, endpoint, input, plain, rows: rowsOf(endpoint, plain.output), found: [] }
  for (const name of names) {
    const schema = shape[name] as z.ZodType
    await checkDefault(check, name, schema)
    if (allowedValues(schema)) await checkChoices(check, name, schema)
    else if (/^date_/.test(name)) await checkDate(check, name)
    else if (unwrap(schema).kind === 'integer') await checkNumber(check, name, schema)
    else if (name === 'phone_number' || name === 'contains') await checkText(check, name)
    else if (unwrap(schema).kind === 'string' && name.endsWith('_id') && name !== 'run_id')
      await checkIdText(check, name)
  }
  if (names.includes('date_from') && names.includes('date_to')) await checkDateRange(check)
  session.report.add(endpoint.name, 'filters', check.found)
}

const askWith = ({ session, endpoint, input }: FilterCheck, more: Fields): Promise<Answer> =>
  session.send(endpoint, { ...input, ...more })

async function checkDefault(check: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const fallback = defaultOf(schema)
  if (fallback === undefined) return
  const { [name]: _, ...without } = check.input
  const left = await check.session.send(check.endpoint, without)
  const given = await check.session.send(check.endpoint, { ...without, [name]: fallback })
  if (isSuccess(left) && isSuccess(given) && idsOf(check.endpoint, left) !== idsOf(check.endpoint, given))
    check.found.push(drift(`${name} (missing)`, `the rows of ${name}=${fallback}`, 'other rows'))
}

async function checkChoices(check: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found } = check
  const seen: string[] = []
  let sum = 0
  const values = allowedValues(schema)?.filter((one) => one !== null) ?? []
  for (const value of values) {
    const answer = await askWith(check, { [name]: value })
    if (!isSuccess(answer)) {
      found.push(drift(`${name} (${value})`, 'a list', `status ${answer.status}`))
      continue
    }
    const rows = rowsOf(endpoint, answer.output)
    const absent = absentFields[endpoint.name]
    if (absent?.parameter === name) {
      const isAbsent = value === absent.value
      if (rows.some((row) => Object.hasOwn(row, absent.field) === isAbsent))
        found.push(
          drift(
            `${absent.field} (${name} ${value})`,
            isAbsent ? 'nothing' : 'a value in every row',
            isAbsent ? 'a value' : 'rows without it',
          ),
        )
    }
    seen.push(stringifyJson(rows.map(rowIdentity)))
    const total = property(answer.output, 'total')
    if (typeof total === 'number') sum += total
    if (value !== unfilteredValue && rows.some((row) => typeof row[name] === 'string' && row[name] !== value))
      found.push(drift(`${name} (${value})`, `rows with ${name} ${value}`, 'other rows as well'))
  }
  if (values.includes(unfilteredValue)) await checkUnfiltered(check, name, values)
  const total = property(check.plain.output, 'total')
  if (endpoint.paged && typeof total === 'number' && defaultOf(schema) === undefined && sum !== total)
    found.push(drift(`${name} (all values)`, `${total} rows in total, as without the filter`, `${sum}`))
  // A platform with only one kind of rows may return the same rows for all values, so this difference is tolerated.
  if (
    seen.length > 1 &&
    new Set(seen).size === 1 &&
    seen[0] !== '[]' &&
    !check.rows.some((row) => Object.hasOwn(row, name))
  )
    found.push({
      path: name,
      expected: 'different rows for different values',
      seen: 'the same rows for all of them',
      tolerated: true,
    })
  found.push(
    ...(await expectRejected(
      check.session,
      endpoint,
      { ...check.input, [name]: 'conformance' },
      name,
      'unknown value',
    )),
  )
}

/** Checks that `all` returns the rows of every other value, and no others. */
async function checkUnfiltered(
  { session, endpoint, input, found }: FilterCheck,
  name: string,
  values: readonly unknown[],
): Promise<void> {
  const rowsWith = async (value: unknown): Promise<readonly unknown[]> =>
    rowsOf(endpoint, (await session.send(endpoint, { ...input, [name]: value })).output).map(rowIdentity)
  const all = new Set(await rowsWith(unfilteredValue))
  const parts = new Set<unknown>()
  for (const value of values) if (value !== unfilteredValue) for (const id of await rowsWith(value)) parts.add(id)
  if (endpoint.paged) return
  const missing = [...parts].filter((id) => !all.has(id)).length
  if (missing > 0) found.push(drift(`${name} (all)`, 'the rows of every value', `${missing} fewer`))
  const extra = [...all].filter((id) => !parts.has(id)).length
  if (extra > 0) found.push(drift(`${name} (all)`, 'only rows that another value returns', `${extra} more`))
}

async function checkDate(check: FilterCheck, name: string): Promise<void> {
  const emptyDate = name === 'date_from' ? '2999-01-01' : '1970-01-02'
  expectNone(check, await askWith(check, { [name]: emptyDate }), `${name} (${emptyDate})`)
  check.found.push(
    ...(await expectRejected(
      check.session,
      check.endpoint,
      { ...check.input, [name]: 'yesterday' },
      name,
      'not a date',
    )),
  )
}

async function checkDateRange(check: FilterCheck): Promise<void> {
  const { endpoint, found, rows } = check
  found.push(
    ...(await expectRejected(
      check.session,
      endpoint,
      { ...check.input, date_from: '2026-01-02', date_to: '2026-01-01' },
      'date_to',
      'before date_from',
    )),
  )
  const day = String(rows[0]?.created_at ?? '').slice(0, 10)
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return
  const answer = await askWith(check, { date_from: day, date_to: day })
  const there = rowsOf(endpoint, answer.output)
  if (!isSuccess(answer) || !there.some((row) => idOf(row) === idOf(rows[0])))
    found.push(drift('date_from, date_to (one day)', 'all rows created on that day', 'only some of them'))
  if (there.some((row) => !String(row.created_at).startsWith(day)))
    found.push(drift('date_from, date_to (one day)', 'only rows created on that day', 'other rows'))
}

async function checkNumber(check: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found, rows } = check
  const { min, max } = numberRange(schema)
  if (name === 'limit') {
    const one = await askWith(check, { limit: 1 })
    if (isSuccess(one) && rowsOf(endpoint, one.output).length > 1) found.push(drift('limit (1)', 'one row', 'more'))
    for (const value of [min === undefined ? undefined : min - 1, max === undefined ? undefined : max + 1])
      if (value !== undefined)
        found.push(
          ...(await expectRejected(check.session, endpoint, { ...check.input, limit: value }, name, String(value))),
        )
    return
  }
  const own = rows.find((row) => typeof row[name] === 'number')?.[name]
  if (own !== undefined) {
    const answer = await askWith(check, { [name]: own })
    const there = rowsOf(endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0)
      found.push(drift(`${name} (existing)`, 'its rows', isSuccess(answer) ? 'none' : `status ${answer.status}`))
    if (there.some((row) => row[name] !== own))
      found.push(drift(`${name} (existing)`, 'only its rows', 'other rows as well'))
  }
  const stranger = { ...check.input, [name]: unknownIds.integer }
  if (filtersRefusingUnknown.has(name))
    found.push(...(await expectRejected(check.session, endpoint, stranger, name, "nobody's")))
  else expectNone(check, await check.session.send(endpoint, stranger), `${name} (unknown)`, true)
}

async function checkText(check: FilterCheck, name: string): Promise<void> {
  const { endpoint, found, rows } = check
  const field = name === 'contains' ? 'phone_number' : Object.hasOwn(rows[0] ?? {}, name) ? name : `client_${name}`
  // Only numbers of leads and numbers for sale are documented to match partially.
  const whole = String(rows[0]?.[field] ?? '')
  const own = field === name || name === 'contains' ? whole.replaceAll(/\D/g, '').slice(-5, -1) : whole
  if (own !== '') {
    const answer = await askWith(check, { [name]: own })
    const there = rowsOf(endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0)
      found.push(
        drift(
          `${name} (part of a number)`,
          'the rows that contain it',
          isSuccess(answer) ? 'none' : `status ${answer.status}`,
        ),
      )
    if (there.some((row) => typeof row[field] === 'string' && !String(row[field]).includes(own)))
      found.push(drift(`${name} (part of a number)`, 'the rows that contain it', 'other rows as well'))
  }
  if (name === 'contains') {
    for (const value of ['abc', '12345678901'])
      found.push(...(await expectRejected(check.session, endpoint, { ...check.input, [name]: value }, name, value)))
  } else expectNone(check, await askWith(check, { [name]: '99999999999999' }), `${name} (unknown)`)
}

/** Checks a filter by text id: an existing id returns only its rows, an unknown one none. */
async function checkIdText(check: FilterCheck, name: string): Promise<void> {
  const own = check.rows.find((row) => typeof row[name] === 'string')?.[name]
  if (own !== undefined) {
    const answer = await askWith(check, { [name]: own })
    const there = rowsOf(check.endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0 || there.some((row) => row[name] !== own))
      check.found.push(drift(`${name} (existing)`, 'only its rows', 'other rows'))
  }
  expectNone(check, await askWith(check, { [name]: 'conformance_nobody' }), `${name} (unknown)`, true)
}

/** Expects no rows; with `isRefusable`, a rejection is accepted too. */
function expectNone({ endpoint, found }: FilterCheck, answer: Answer, path: string, isRefusable = false): void {
  if (isRefusable && (answer.status === 422 || answer.status === 404)) return
  if (!isSuccess(answer)) found.push(drift(path, 'no rows', `status ${answer.status}`))
  else if (rowsOf(endpoint, answer.output).length > 0) found.push(drift(path, 'no rows', 'rows'))
  else if (typeof property(answer.output, 'total') === 'number' && property(answer.output, 'total') !== 0)
    found.push(drift(`${path} total`, '0', String(property(answer.output, 'total'))))
}

/** Values of a template that the specification lists in section 4.20, each with the text to compare. */
const constants: Readonly<Record<string, (template: AutomationTemplate | Fields) => string>> = {
  binding: (it) => stringifyJson(it.binding),
  requires_assistant: (it) => stringifyJson(it.requires_assistant),
  required_connections: (template) =>
    stringifyJson(Array.isArray(template.required_connections) ? [...template.required_connections].sort() : null),
  side_effects: (it) => stringifyJson(it.side_effects),
}

/** Defaults of parameters that the specification lists. */
const documentedDefaults: ReadonlySet<string> = new Set(['qualified_variable'])

/** Compares the templates of a platform with the catalogue of section 4.20. */
async function catalogueDifferences(rows: readonly Fields[]): Promise<Difference[]> {
  const found: Difference[] = []
  for (const documented of templates.map((it) => toCatalogueEntry(it, 0))) {
    const path = `data (${documented.key})`
    const row = rows.find((it) => it.key === documented.key)
    if (!row) {
      found.push(drift(path, 'the template', 'nothing'))
      continue
    }
    for (const [name, read] of Object.entries(constants))
      if (read(row) !== read(documented)) found.push(drift(`${path}.${name}`, read(documented), read(row)))
    found.push(...paramDifferences(`${path}.params`, documented.params, Array.isArray(row.params) ? row.params : []))
  }
  // Other types of keys are reported with the response.
  for (const { key } of rows)
    if (typeof key === 'string' && !templates.some((it) => it.key === key))
      found.push({ path: `data (${key})`, expected: 'nothing', seen: 'another template', tolerated: true })
  return found
}

function paramDifferences(
  path: string,
  documented: AutomationTemplate['params'],
  given: readonly unknown[],
): Difference[] {
  const found: Difference[] = []
  const rows = given.filter(isObject).filter((it) => typeof it.key === 'string')
  for (const { key, required, default: usual } of documented) {
    const row = rows.find((it) => it.key === key)
    if (!row) {
      found.push(drift(`${path} (${key})`, 'the parameter', 'nothing'))
      continue
    }
    if (row.required !== required)
      found.push(drift(`${path} (${key}).required`, String(required), stringifyJson(row.required) ?? 'nothing'))
    if (documentedDefaults.has(key) && row.default !== usual)
      found.push(drift(`${path} (${key}).default`, stringifyJson(usual), stringifyJson(row.default) ?? 'nothing'))
  }
  for (const row of rows) {
    const key = String(row.key)
    if (row.required === true && row.default !== undefined)
      found.push(drift(`${path} (${key}).default`, 'nothing, because the parameter is required', 'a value'))
    if (!documented.some((it) => it.key === key))
      found.push({
        path: `${path} (${key})`,
        expected: 'nothing',
        seen: row.required === true ? 'a required parameter' : 'another parameter',
        tolerated: row.required !== true,
      })
  }
  return found
}

const parameter = (url: unknown, name: string): string | null =>
  typeof url === 'string' && url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(name) : null

/** Returns whether a list is paged by cursor; the envelope of section 4.8 does not apply to it. */
const isCursorPaged = (answer: unknown): boolean => isObject(answer) && Object.hasOwn(answer, 'next_cursor')

/**
 * Returns contradictions in a page envelope, among its fields or with the request (section 4.8). Only fields in the
 * contract of the list with the right type are checked; other errors are differences of the response itself.
 */
function envelopeDifferences(
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

/** How thoroughly a list is checked. */
interface ListDepth {
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
  const isWrong = values.slice(1).some((value, n) => {
    const before = values[n] as string | number
    return order.newest ? isBefore(before, value) : isBefore(value, before)
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
  const usual = Number(defaultOf(endpoint.query?.shape.per_page))
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
    for (let n = 1; n <= Math.max(1, Math.ceil(total / maxPerPage)); n++)
      all.push(...(await page({ page: n, per_page: maxPerPage })))
    if (all.length !== total || new Set(all).size !== total)
      found.push(drift('total', `${total} rows on all pages`, `${new Set(all).size}`))
  }
  for (const [name, value] of [
    ['per_page', 0],
    ['per_page', maxPerPage + 1],
    ['page', 0],
  ] as const)
    found.push(...(await expectRejected(session, endpoint, { ...input, [name]: value }, name, String(value))))
  return found
}
