import { property } from '../../../../client/response-body.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import {
  compareWithContract,
  type Difference,
  describeValue,
} from '../../../../contract/endpoint/response-differences.ts'
import { endpoints } from '../../../../contract/resources/index.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { maxPerPage } from '../../../../contract/values/page-size.ts'
import { drift } from './conformance-report.ts'
import {
  type Answer,
  type ConformanceSession,
  type Fields,
  idOf,
  isSuccess,
  recordOf,
  rowsOf,
} from './conformance-session.ts'
import { impliedFields, namesElsewhere, volatileFields } from './endpoint-tables.ts'

/** Endpoints that read a resource after a write: alone, or in its list. */
interface ReadEndpoints {
  readonly get: Endpoint | undefined
  readonly list: Endpoint | undefined
  /** Name of the path parameter that is its id. */
  readonly id: string
}

const findEndpoint = (name: string): Endpoint | undefined => endpoints.find((it) => it.name === name)

/**
 * Returns the read endpoints of a write: `knowledge.createDocument` is read with `knowledge.getDocument` and
 * `knowledge.listDocuments`.
 */
export function readEndpointsOf(endpoint: Endpoint): ReadEndpoints {
  const [resource = '', verb = ''] = endpoint.name.split('.')
  const [, , part = ''] = /^(create|update|delete)([A-Z]\w*)?$/.exec(verb) ?? []
  const get = findEndpoint(`${resource}.get${part}`)
  return {
    get,
    list: findEndpoint(`${resource}.list${part === '' ? '' : `${part}s`}`),
    id: Object.keys(get?.params?.shape ?? {}).at(-1) ?? 'id',
  }
}

/**
 * Returns whether a read matches the contract. One that does not is reported, and proves nothing about the written
 * values.
 */
function isDocumented(session: ConformanceSession, endpoint: Endpoint, { output }: Answer): boolean {
  const differences =
    output === undefined
      ? [drift('.', 'JSON', 'no JSON')]
      : compareWithContract(endpoint, output, namesElsewhere(endpoint))
  if (differences.length > 0) session.report.add(endpoint.name, 'answer', differences)
  return differences.every((it) => it.tolerated)
}

/** Maximum number of pages of 100 rows that are read of one list. */
const maxPages = 200

/** Returns the rows of all pages of a list. */
export async function readAllRows(session: ConformanceSession, list: Endpoint, input: Fields): Promise<Fields[]> {
  const found: Fields[] = []
  for (let page = 1; page <= maxPages; page++) {
    const answer = await session.send(list, { ...input, ...(list.paged && { page, per_page: maxPerPage }) })
    const rows = isSuccess(answer) ? rowsOf(list, answer.output) : []
    found.push(...rows)
    if (!list.paged || rows.length < maxPerPage) break
  }
  return found
}

/** Reads a resource with its own endpoint and in its list; undefined where it does not exist. */
export async function readAgain(
  session: ConformanceSession,
  { get, list, id: name }: ReadEndpoints,
  id: unknown,
  within: Fields,
): Promise<{ alone?: Fields; listed?: Fields; isListed: boolean; status?: number }> {
  const found: { alone?: Fields; listed?: Fields; isListed: boolean; status?: number } = { isListed: false }
  const above = (endpoint: Endpoint): Fields =>
    Object.fromEntries(
      Object.keys(endpoint.params?.shape ?? {}).flatMap((key) =>
        within[key] === undefined || key === name ? [] : [[key, within[key]]],
      ),
    )
  if (get) {
    const answer = await session.send(get, { ...above(get), [name]: id })
    const alone = isSuccess(answer) ? recordOf(get, answer.output) : undefined
    if (!isSuccess(answer) || isDocumented(session, get, answer)) found.status = answer.status
    else return found
    if (alone) found.alone = alone
  }
  if (list) {
    // The parent id of a nested resource has the same name in its list.
    const input = Object.fromEntries(Object.keys(list.params?.shape ?? {}).map((it) => [it, within[it]]))
    for (let page = 1; page <= 20; page++) {
      const answer = await session.send(list, { ...input, ...(list.paged && { page, per_page: maxPerPage }) })
      if (isSuccess(answer) && !isDocumented(session, list, answer)) return found
      const rows = isSuccess(answer) ? rowsOf(list, answer.output) : []
      const row = rows.find((it) => String(idOf(it)) === String(id))
      if (row) found.listed = row
      if (row || !list.paged || rows.length < maxPerPage) break
    }
    found.isListed = true
  }
  return found
}

/** Returns whether two values have different types. A number that was sent as text may be returned as other text. */
function differInKind(actual: unknown, sent: unknown): boolean {
  const [kind, expected] = [describeValue(actual), describeValue(sent)]
  return kind !== expected && !(kind === 'text' && expected === 'a number as text')
}

/** Returns whether a value contains everything that was sent; it may contain more, such as defaults. */
function containsSent(actual: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return Array.isArray(actual) && actual.length === sent.length && sent.every((it, n) => containsSent(actual[n], it))
  if (isObject(sent))
    return isObject(actual) && Object.entries(sent).every(([name, value]) => containsSent(actual[name], value))
  return actual === sent
}

/**
 * Returns the fields of a record that differ from the sent ones. Missing fields and wrong types are differences of the
 * response itself.
 */
export const differingFields = (
  path: string,
  actual: Fields | undefined,
  sent: Fields,
  expected: string,
): Difference[] =>
  Object.entries(sent).flatMap(([name, value]) =>
    actual === undefined ||
    !Object.hasOwn(actual, name) ||
    volatileFields.has(name) ||
    (value !== null && actual[name] !== null && differInKind(actual[name], value)) ||
    containsSent(actual[name], value)
      ? []
      : [drift(`${path}${name}`, expected, actual[name] === null ? 'null' : 'another value')],
  )

/** Compares a returned record with the same resource read again. */
function readBackDifferences(
  reading: ReadEndpoints,
  again: Awaited<ReturnType<typeof readAgain>>,
  answered: Fields | undefined,
  sent: Fields,
): Difference[] {
  const found: Difference[] = []
  if (reading.get && again.status !== undefined && !again.alone)
    found.push(drift(reading.get.name, 'the written value', `status ${again.status}`))
  if (again.isListed && !again.listed) found.push(drift(reading.list?.name ?? 'list', 'the written value', 'nothing'))
  for (const [endpoint, there] of [
    [reading.get, again.alone],
    [reading.list, again.listed],
  ] as const) {
    if (!endpoint || !there) continue
    found.push(...differingFields(`${endpoint.name} `, there, sent, 'the sent value'))
    if (answered)
      found.push(
        ...differingFields(
          `${endpoint.name} `,
          there,
          Object.fromEntries(Object.entries(answered).filter(([name]) => !Object.hasOwn(sent, name))),
          'the value in the response',
        ),
      )
  }
  return found
}

/** Reads the resource that a write changes, by the id in its input. */
export const readWritten = (
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
): ReturnType<typeof readAgain> =>
  readAgain(session, readEndpointsOf(endpoint), input[Object.keys(endpoint.params?.shape ?? {}).at(-1) ?? 'id'], input)

/** Writes whose result is not a resource of `get` and `list`: a conversation, what waited, and a run. */
const readElsewhere: ReadonlySet<string> = new Set([
  'sms.send',
  'contacts.cancelWaiting',
  'contacts.sendWaiting',
  'automate.cancelRun',
  'automate.rerun',
])

/** Reads the resource after a write, and compares it with what was sent and, after an update, with `before`. */
export async function writeDifferences(
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  answer: Answer,
  before: Awaited<ReturnType<typeof readAgain>> | undefined,
): Promise<Difference[]> {
  const reading = readEndpointsOf(endpoint)
  const params = new Set(Object.keys(endpoint.params?.shape ?? {}))
  const sent = Object.fromEntries(Object.entries(input).filter(([name]) => !params.has(name)))
  const record = endpoint.record === undefined ? undefined : recordOf(endpoint, answer.output)
  const found = differingFields(
    endpoint.record === undefined ? '' : `${endpoint.record}.`,
    record,
    sent,
    'the sent value',
  )
  if (endpoint.method === 'DELETE') {
    if (endpoint.takesEffectLater) return found
    const again = await readWritten(session, endpoint, input)
    if (again.alone) found.push(drift(reading.get?.name ?? 'get', 'status 404 after it was deleted', 'status 200'))
    if (again.listed) found.push(drift(reading.list?.name ?? 'list', 'no such row after it was deleted', 'the row'))
  } else if (endpoint.method === 'PUT') {
    const id = input[[...params].at(-1) ?? '']
    const returned = property(record, 'id') ?? property(answer.output, 'automation_id')
    if (id !== undefined && returned !== undefined && String(returned) !== String(id))
      found.push(drift('id', 'the id of the request', 'another id'))
    const again = await readWritten(session, endpoint, input)
    const touched = new Set([...Object.keys(sent), ...Object.keys(sent).flatMap((it) => impliedFields[it] ?? [])])
    found.push(...readBackDifferences(reading, again, record, sent))
    for (const side of ['alone', 'listed'] as const)
      if (before?.[side] && again[side])
        found.push(
          ...differingFields(
            '',
            again[side],
            Object.fromEntries(Object.entries(before[side]).filter(([name]) => !touched.has(name))),
            'the previous value',
          ),
        )
  } else if (record?.id !== undefined && (reading.get || reading.list) && !readElsewhere.has(endpoint.name))
    found.push(
      ...readBackDifferences(reading, await readAgain(session, reading, record.id, { ...input }), record, sent),
    )
  return found
}
