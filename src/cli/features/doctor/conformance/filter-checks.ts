import type * as z from 'zod'
import { property } from '../../../../client/response-body.ts'
import { allowedValues, defaultOf, numberRange, unwrap } from '../../../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../../contract/mechanics/endpoint.ts'
import type { Difference } from '../../../../contract/mechanics/response-differences.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { drift } from './conformance-report.ts'
import { type Answer, type ConformanceSession, type Fields, idOf, isSuccess, rowsOf } from './conformance-session.ts'
import { absentFields, filtersRefusingUnknown, unfilteredValue, unknownIds } from './endpoint-tables.ts'
import { expectRejected } from './field-rejection.ts'

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
    (it) =>
      !paging.has(it) &&
      it !== endpoint.singleItem &&
      session.offersField(shape[it] as z.ZodType) &&
      !(required.has(it) && defaultOf(shape[it] as z.ZodType) === undefined),
  )
  if (names.length === 0) return
  const it: FilterCheck = { session, endpoint, input, plain, rows: rowsOf(endpoint, plain.output), found: [] }
  for (const name of names) {
    const schema = shape[name] as z.ZodType
    await checkDefault(it, name, schema)
    if (allowedValues(schema)) await checkChoices(it, name, schema)
    else if (/^date_/.test(name)) await checkDate(it, name)
    else if (unwrap(schema).kind === 'integer') await checkNumber(it, name, schema)
    else if (name === 'phone_number' || name === 'contains') await checkText(it, name)
    else if (unwrap(schema).kind === 'string' && name.endsWith('_id') && name !== 'run_id') await checkIdText(it, name)
  }
  if (names.includes('date_from') && names.includes('date_to')) await checkDateRange(it)
  session.report.add(endpoint.name, 'filters', it.found)
}

const askWith = ({ session, endpoint, input }: FilterCheck, more: Fields): Promise<Answer> =>
  session.send(endpoint, { ...input, ...more })

async function checkDefault(it: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const fallback = defaultOf(schema)
  if (fallback === undefined) return
  const { [name]: _, ...without } = it.input
  const left = await it.session.send(it.endpoint, without)
  const given = await it.session.send(it.endpoint, { ...without, [name]: fallback })
  if (isSuccess(left) && isSuccess(given) && idsOf(it.endpoint, left) !== idsOf(it.endpoint, given))
    it.found.push(drift(`${name} (missing)`, `the rows of ${name}=${fallback}`, 'other rows'))
}

async function checkChoices(it: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found } = it
  const seen: string[] = []
  let sum = 0
  const values = allowedValues(schema)?.filter((one) => one !== null) ?? []
  for (const value of values) {
    const answer = await askWith(it, { [name]: value })
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
  if (values.includes(unfilteredValue)) await checkUnfiltered(it, name, values)
  const total = property(it.plain.output, 'total')
  if (endpoint.paged && typeof total === 'number' && defaultOf(schema) === undefined && sum !== total)
    found.push(drift(`${name} (all values)`, `${total} rows in total, as without the filter`, `${sum}`))
  // A platform with only one kind of rows may return the same rows for all values, so this difference is tolerated.
  if (
    seen.length > 1 &&
    new Set(seen).size === 1 &&
    seen[0] !== '[]' &&
    !it.rows.some((row) => Object.hasOwn(row, name))
  )
    found.push({
      path: name,
      expected: 'different rows for different values',
      seen: 'the same rows for all of them',
      tolerated: true,
    })
  found.push(
    ...(await expectRejected(it.session, endpoint, { ...it.input, [name]: 'conformance' }, name, 'unknown value')),
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

async function checkDate(it: FilterCheck, name: string): Promise<void> {
  const emptyDate = name === 'date_from' ? '2999-01-01' : '1970-01-02'
  expectNone(it, await askWith(it, { [name]: emptyDate }), `${name} (${emptyDate})`)
  it.found.push(
    ...(await expectRejected(it.session, it.endpoint, { ...it.input, [name]: 'yesterday' }, name, 'not a date')),
  )
}

async function checkDateRange(it: FilterCheck): Promise<void> {
  const { endpoint, found, rows } = it
  found.push(
    ...(await expectRejected(
      it.session,
      endpoint,
      { ...it.input, date_from: '2026-01-02', date_to: '2026-01-01' },
      'date_to',
      'before date_from',
    )),
  )
  const day = String(rows[0]?.created_at ?? '').slice(0, 10)
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return
  const answer = await askWith(it, { date_from: day, date_to: day })
  const there = rowsOf(endpoint, answer.output)
  if (!isSuccess(answer) || !there.some((row) => idOf(row) === idOf(rows[0])))
    found.push(drift('date_from, date_to (one day)', 'all rows created on that day', 'only some of them'))
  if (there.some((row) => !String(row.created_at).startsWith(day)))
    found.push(drift('date_from, date_to (one day)', 'only rows created on that day', 'other rows'))
}

async function checkNumber(it: FilterCheck, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found, rows } = it
  const { min, max } = numberRange(schema)
  if (name === 'limit') {
    const one = await askWith(it, { limit: 1 })
    if (isSuccess(one) && rowsOf(endpoint, one.output).length > 1) found.push(drift('limit (1)', 'one row', 'more'))
    for (const value of [min === undefined ? undefined : min - 1, max === undefined ? undefined : max + 1])
      if (value !== undefined)
        found.push(...(await expectRejected(it.session, endpoint, { ...it.input, limit: value }, name, String(value))))
    return
  }
  const own = rows.find((row) => typeof row[name] === 'number')?.[name]
  if (own !== undefined) {
    const answer = await askWith(it, { [name]: own })
    const there = rowsOf(endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0)
      found.push(drift(`${name} (existing)`, 'its rows', isSuccess(answer) ? 'none' : `status ${answer.status}`))
    if (there.some((row) => row[name] !== own))
      found.push(drift(`${name} (existing)`, 'only its rows', 'other rows as well'))
  }
  const stranger = { ...it.input, [name]: unknownIds.integer }
  if (filtersRefusingUnknown.has(name))
    found.push(...(await expectRejected(it.session, endpoint, stranger, name, "nobody's")))
  else expectNone(it, await it.session.send(endpoint, stranger), `${name} (unknown)`, true)
}

async function checkText(it: FilterCheck, name: string): Promise<void> {
  const { endpoint, found, rows } = it
  const field = name === 'contains' ? 'phone_number' : Object.hasOwn(rows[0] ?? {}, name) ? name : `client_${name}`
  // Only numbers of leads and numbers for sale are documented to match partially.
  const whole = String(rows[0]?.[field] ?? '')
  const own = field === name || name === 'contains' ? whole.replaceAll(/\D/g, '').slice(-5, -1) : whole
  if (own !== '') {
    const answer = await askWith(it, { [name]: own })
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
      found.push(...(await expectRejected(it.session, endpoint, { ...it.input, [name]: value }, name, value)))
  } else expectNone(it, await askWith(it, { [name]: '99999999999999' }), `${name} (unknown)`)
}

/** Checks a filter by text id: an existing id returns only its rows, an unknown one none. */
async function checkIdText(it: FilterCheck, name: string): Promise<void> {
  const own = it.rows.find((row) => typeof row[name] === 'string')?.[name]
  if (own !== undefined) {
    const answer = await askWith(it, { [name]: own })
    const there = rowsOf(it.endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0 || there.some((row) => row[name] !== own))
      it.found.push(drift(`${name} (existing)`, 'only its rows', 'other rows'))
  }
  expectNone(it, await askWith(it, { [name]: 'conformance_nobody' }), `${name} (unknown)`, true)
}

/** Expects no rows; with `isRefusable`, a rejection is accepted too. */
function expectNone({ endpoint, found }: FilterCheck, answer: Answer, path: string, isRefusable = false): void {
  if (isRefusable && (answer.status === 422 || answer.status === 404)) return
  if (!isSuccess(answer)) found.push(drift(path, 'no rows', `status ${answer.status}`))
  else if (rowsOf(endpoint, answer.output).length > 0) found.push(drift(path, 'no rows', 'rows'))
  else if (typeof property(answer.output, 'total') === 'number' && property(answer.output, 'total') !== 0)
    found.push(drift(`${path} total`, '0', String(property(answer.output, 'total'))))
}
