import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import type { Answered, Api, Asked } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

interface Operation {
  readonly operationId: string
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Values for the parameters of a path: unknown ids of every kind, and none. */
const ids = ['999999', 'abc', '0', '00000000-0000-4000-8000-000000000000']
/** Query parameters that some operation refuses. */
const queries = ['', '?per_page=9999&page=0&limit=-1&country_code=XX&run_id=x&after=x', '?date_from=2020-13-01']

/** Requests that most operations refuse, each for another reason. */
function requestsOf({ requestBody }: Operation): readonly Asked[] {
  const body = requestBody === undefined ? {} : { body: {} }
  const bodies: readonly Asked[] = [
    { body: { nonsense: 1, name: 5, phone_number: 'x', assistant_id: 'x', campaign_id: 999999, action: 'pause' } },
    { raw: '{' },
    { raw: '[]' },
    { raw: 'null' },
    { raw: 'x', headers: { 'content-type': 'text/plain' } },
    { raw: '--x', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
    { raw: JSON.stringify({ name: 'x'.repeat(2.2e6) }) },
  ]
  return [
    body,
    { ...body, key: null },
    { ...body, key: '1|wrong' },
    { ...body, headers: { 'idempotency-key': 'x'.repeat(300) } },
    ...(requestBody === undefined ? [] : bodies),
  ]
}

describe('the answers to generated requests', () => {
  let api: Api
  let document: Document
  /** Returns what is wrong with an answer; undefined when nothing is. */
  let wrongWith: (path: string, method: string, answer: Answered) => string | undefined
  beforeAll(async () => {
    api = await fresh(sqlite)
    document = (await api.ask('GET', '/openapi.json', { key: null })).body
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi.json')
    const pointer = (...parts: string[]): string =>
      parts.map((it) => `/${it.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    wrongWith = (path, method, { status, body, text }) => {
      const operation = document.paths[path]?.[method]
      const response = operation?.responses[status] as { $ref?: string } | undefined
      if (!response) return `${operation?.operationId} does not say that it answers ${status}: ${text}`
      const place = response.$ref?.slice(1) ?? pointer('paths', path, method, 'responses', String(status))
      const check = ajv.getSchema(`openapi.json#${encodeURI(place + pointer('content', 'application/json', 'schema'))}`)
      if (!check) return `${operation?.operationId} ${status} has no schema`
      return check(body) ? undefined : `${operation?.operationId} ${status} ${text}: ${ajv.errorsText(check.errors)}`
    }
  })

  test('are as the document says, whatever is wrong with the request', async () => {
    const wrong = new Set<string>()
    const statuses = new Set<number>()
    let count = 0
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations))
        for (const id of path.includes('{') ? ids : ids.slice(0, 1))
          for (const query of method === 'get' ? queries : queries.slice(0, 1))
            for (const asked of requestsOf(operation)) {
              const url = path.replace(/\{\w+\}/g, id) + query
              const answer = await api.ask(method.toUpperCase(), url, asked)
              count++
              statuses.add(answer.status)
              const problem = wrongWith(path, method, answer)
              if (problem !== undefined) wrong.add(problem)
            }
    expect([...wrong]).toEqual([])
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 413, 415, 422]))
    expect(count).toBeGreaterThan(1000)
  })

  test('would be found if they were not', () => {
    const answer = { status: 404, headers: {}, body: { error: 'Tool not found' }, text: '' }
    expect(wrongWith('/api/user/tools/{id}', 'get', answer)).toMatch(/^tools\.get 404 /)
    expect(wrongWith('/api/user/tools/{id}', 'get', { ...answer, status: 418 })).toMatch(/does not say that it answers/)
  })
})
