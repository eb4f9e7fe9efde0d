import type * as z from 'zod'
import { property } from '../../../client/answer.ts'
import { choices, defaultOf, rangeOf, unwrap } from '../../../contract/coerce.ts'
import type { Difference } from '../../../contract/conformity.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { drift } from './conformity.ts'
import { expectRejected } from './rejection.ts'
import { type Answer, type Fields, idOf, isSuccess, rowsOf, type Session } from './session.ts'
import { anyValue, nobodys, strangersRefused } from './tables.ts'

const paging = new Set(['page', 'per_page'])
/** What tells rows apart: numbers for sale have no id. */
const identityOf = (row: Fields): unknown => row.id ?? row.key ?? row.phone_number
const idsOf = (endpoint: Endpoint, answer: Answer): string => JSON.stringify(rowsOf(endpoint, answer.output).map(identityOf))

interface Filtered {
  readonly session: Session
  readonly endpoint: Endpoint
  readonly input: Fields
  /** The answer without any of the filters. */
  readonly plain: Answer
  readonly rows: readonly Fields[]
  readonly found: Difference[]
}

/** Looks at every parameter of a list but its pages: whether it filters, what it is when left out, and what it refuses. */
export async function checkFilters(session: Session, endpoint: Endpoint, input: Fields, plain: Answer): Promise<void> {
  const shape = (endpoint.query?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  const required = new Set(Object.keys(input))
  const names = Object.keys(shape).filter(
    (it) => !paging.has(it) && it !== endpoint.alone && !(required.has(it) && defaultOf(shape[it] as z.ZodType) === undefined),
  )
  if (names.length === 0) return
  const it: Filtered = { session, endpoint, input, plain, rows: rowsOf(endpoint, plain.output), found: [] }
  for (const name of names) {
    const schema = shape[name] as z.ZodType
    await checkDefault(it, name, schema)
    if (choices(schema)) await checkChoices(it, name, schema)
    else if (/^date_/.test(name)) await checkDay(it, name)
    else if (unwrap(schema).kind === 'integer') await checkNumber(it, name, schema)
    else if (name === 'phone_number' || name === 'contains') await checkText(it, name)
    else if (unwrap(schema).kind === 'string' && name.endsWith('_id') && name !== 'run_id') await checkIdText(it, name)
  }
  if (names.includes('date_from') && names.includes('date_to')) await checkDays(it)
  session.report.add(endpoint.name, 'filters', it.found)
}

const asked = ({ session, endpoint, input }: Filtered, more: Fields): Promise<Answer> => session.ask(endpoint, { ...input, ...more })

async function checkDefault(it: Filtered, name: string, schema: z.ZodType): Promise<void> {
  const fallback = defaultOf(schema)
  if (fallback === undefined) return
  const { [name]: _, ...without } = it.input
  const left = await it.session.ask(it.endpoint, without)
  const given = await it.session.ask(it.endpoint, { ...without, [name]: fallback })
  if (isSuccess(left) && isSuccess(given) && idsOf(it.endpoint, left) !== idsOf(it.endpoint, given))
    it.found.push(drift(`${name} (left out)`, `the rows of ${name}=${fallback}`, 'other rows'))
}

async function checkChoices(it: Filtered, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found } = it
  const seen: string[] = []
  let sum = 0
  const values = choices(schema)?.filter((one) => one !== null) ?? []
  for (const value of values) {
    const answer = await asked(it, { [name]: value })
    if (!isSuccess(answer)) {
      found.push(drift(`${name} (${value})`, 'a list', `status ${answer.status}`))
      continue
    }
    const rows = rowsOf(endpoint, answer.output)
    seen.push(JSON.stringify(rows.map(identityOf)))
    const total = property(answer.output, 'total')
    if (typeof total === 'number') sum += total
    if (value !== anyValue && rows.some((row) => typeof row[name] === 'string' && row[name] !== value))
      found.push(drift(`${name} (${value})`, `rows with ${name} ${value}`, 'others too'))
  }
  const total = property(it.plain.output, 'total')
  if (endpoint.paged && typeof total === 'number' && defaultOf(schema) === undefined && sum !== total)
    found.push(drift(`${name} (all values)`, `${total} rows together, as without it`, `${sum}`))
  // A filter whose values are no field of a row, and that changes nothing, may be ignored; only a platform with one kind of rows is like this.
  if (seen.length > 1 && new Set(seen).size === 1 && seen[0] !== '[]' && !it.rows.some((row) => Object.hasOwn(row, name)))
    found.push({ path: name, expected: 'other rows for other values', seen: 'the same rows for all of them', tolerated: true })
  found.push(...(await expectRejected(it.session, endpoint, { ...it.input, [name]: 'conformance' }, name, 'unknown value')))
}

async function checkDay(it: Filtered, name: string): Promise<void> {
  const beyond = name === 'date_from' ? '2999-01-01' : '1970-01-02'
  expectNone(it, await asked(it, { [name]: beyond }), `${name} (${beyond})`)
  it.found.push(...(await expectRejected(it.session, it.endpoint, { ...it.input, [name]: 'yesterday' }, name, 'no date')))
}

async function checkDays(it: Filtered): Promise<void> {
  const { endpoint, found, rows } = it
  found.push(...(await expectRejected(it.session, endpoint, { ...it.input, date_from: '2026-01-02', date_to: '2026-01-01' }, 'date_to', 'before date_from')))
  const day = String(rows[0]?.created_at ?? '').slice(0, 10)
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return
  const answer = await asked(it, { date_from: day, date_to: day })
  const there = rowsOf(endpoint, answer.output)
  if (!isSuccess(answer) || !there.some((row) => idOf(row) === idOf(rows[0])))
    found.push(drift('date_from, date_to (one day)', 'what was made on that day', 'not all of it'))
  if (there.some((row) => !String(row.created_at).startsWith(day)))
    found.push(drift('date_from, date_to (one day)', 'only what was made on that day', 'others too'))
}

async function checkNumber(it: Filtered, name: string, schema: z.ZodType): Promise<void> {
  const { endpoint, found, rows } = it
  const { least, most } = rangeOf(schema)
  if (name === 'limit') {
    const one = await asked(it, { limit: 1 })
    if (isSuccess(one) && rowsOf(endpoint, one.output).length > 1) found.push(drift('limit (1)', 'one row', 'more'))
    for (const value of [least === undefined ? undefined : least - 1, most === undefined ? undefined : most + 1])
      if (value !== undefined) found.push(...(await expectRejected(it.session, endpoint, { ...it.input, limit: value }, name, String(value))))
    return
  }
  const own = rows.find((row) => typeof row[name] === 'number')?.[name]
  if (own !== undefined) {
    const answer = await asked(it, { [name]: own })
    const there = rowsOf(endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0)
      found.push(drift(`${name} (one that is there)`, 'its rows', isSuccess(answer) ? 'none' : `status ${answer.status}`))
    if (there.some((row) => row[name] !== own)) found.push(drift(`${name} (one that is there)`, 'its rows alone', 'others too'))
  }
  const stranger = { ...it.input, [name]: nobodys.integer }
  if (strangersRefused.has(name)) found.push(...(await expectRejected(it.session, endpoint, stranger, name, "nobody's")))
  else expectNone(it, await it.session.ask(endpoint, stranger), `${name} (nobody's)`, true)
}

async function checkText(it: Filtered, name: string): Promise<void> {
  const { endpoint, found, rows } = it
  const field = name === 'contains' ? 'phone_number' : Object.hasOwn(rows[0] ?? {}, name) ? name : `client_${name}`
  // Only the numbers of leads and of those for sale are said to be found by a part of them.
  const whole = String(rows[0]?.[field] ?? '')
  const own = field === name || name === 'contains' ? whole.replaceAll(/\D/g, '').slice(-5, -1) : whole
  if (own !== '') {
    const answer = await asked(it, { [name]: own })
    const there = rowsOf(endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0)
      found.push(drift(`${name} (part of a number)`, 'the rows that contain it', isSuccess(answer) ? 'none' : `status ${answer.status}`))
    if (there.some((row) => typeof row[field] === 'string' && !String(row[field]).includes(own)))
      found.push(drift(`${name} (part of a number)`, 'the rows that contain it', 'others too'))
  }
  if (name === 'contains') {
    for (const value of ['abc', '12345678901']) found.push(...(await expectRejected(it.session, endpoint, { ...it.input, [name]: value }, name, value)))
  } else expectNone(it, await asked(it, { [name]: '99999999999999' }), `${name} (of nobody)`)
}

/** An id that is text: its rows alone, and nothing of one that nobody has. */
async function checkIdText(it: Filtered, name: string): Promise<void> {
  const own = it.rows.find((row) => typeof row[name] === 'string')?.[name]
  if (own !== undefined) {
    const answer = await asked(it, { [name]: own })
    const there = rowsOf(it.endpoint, answer.output)
    if (!isSuccess(answer) || there.length === 0 || there.some((row) => row[name] !== own))
      it.found.push(drift(`${name} (one that is there)`, 'its rows alone', 'other rows'))
  }
  expectNone(it, await asked(it, { [name]: 'conformance_nobody' }), `${name} (nobody's)`, true)
}

/** Nothing at all is found; `isRefusable`: or the question is refused. */
function expectNone({ endpoint, found }: Filtered, answer: Answer, path: string, isRefusable = false): void {
  if (isRefusable && (answer.status === 422 || answer.status === 404)) return
  if (!isSuccess(answer)) found.push(drift(path, 'no rows', `status ${answer.status}`))
  else if (rowsOf(endpoint, answer.output).length > 0) found.push(drift(path, 'no rows', 'rows'))
  else if (typeof property(answer.output, 'total') === 'number' && property(answer.output, 'total') !== 0)
    found.push(drift(`${path} total`, '0', String(property(answer.output, 'total'))))
}
