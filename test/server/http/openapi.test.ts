import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { databases } from '../../support/databases.ts'
import { tour } from '../../support/platform/endpoint-tour.ts'
import { type Answered, type Api, fresh } from '../../support/platform/test-platforms.ts'

const root = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

interface Operation {
  readonly operationId: string
  readonly security?: readonly object[]
  readonly responses: Readonly<
    Record<string, { readonly content: { 'application/json': { schema: Parameters<typeof z.fromJSONSchema>[0] } } }>
  >
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}

const read = async (api: Api): Promise<Answered> => api.ask('GET', '/openapi.json', { key: null })
const operationsOf = (document: Document): Operation[] =>
  Object.values(document.paths).flatMap((it) => Object.values(it))

describe('the document at /openapi.json', () => {
  let document: Document
  let text: string
  beforeAll(async () => {
    const answer = await read(await fresh(databases[0]!, { version }))
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    document = answer.body
    text = answer.text
  })

  test('is valid according to the schema of OpenAPI', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  test('is the one that is published with the package', () => {
    const published = JSON.parse(readFileSync(join(root, 'test/golden/openapi.json'), 'utf8'))
    const byName = (it: Document) =>
      new Map(operationsOf(it).map((operation) => [operation.operationId, JSON.stringify(operation)]))
    const [here, there] = [byName(document), byName(published)]
    expect(
      [...here].filter(([name, text]) => there.get(name) !== text).map(([name]) => name),
      'run "npm run generate"',
    ).toEqual([])
    expect(document).toEqual(published)
  })

  test('has every endpoint of the contract, and nothing else', () => {
    const declared = endpoints.map((it) => `${it.name} ${it.method} ${it.path}`)
    const found = Object.entries(document.paths).flatMap(([path, it]) =>
      Object.entries(it).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    expect(found.sort()).toEqual(declared.sort())
  })

  test('does not list the control routes', () => {
    expect(Object.keys(document.paths).filter((it) => !it.startsWith('/api/'))).toEqual([])
    expect(text).not.toMatch(/control/i)
  })
})

describe.each(databases)('the responses on $name', (database) => {
  /** What is wrong with an answer according to the document; undefined when nothing is. */
  const checker = (document: Document) => {
    const operations = new Map(operationsOf(document).map((it) => [it.operationId, it]))
    return (name: string, { status, body }: Pick<Answered, 'status' | 'body'>): string | undefined => {
      const response = operations.get(name)?.responses[status]
      if (!response) return `${name} does not say that it answers ${status}`
      const { schema } = response.content['application/json']
      const whole = JSON.parse(
        JSON.stringify({ ...(schema as object), $defs: document.components.schemas }).replaceAll(
          '#/components/schemas/',
          '#/$defs/',
        ),
      )
      const checked = z.fromJSONSchema(whole).safeParse(body)
      return checked.success ? undefined : `${name} ${status}: ${checked.error.message}`
    }
  }

  test('of every endpoint conform to the document', async () => {
    const api = await fresh(database)
    const document: Document = (await read(api)).body
    const check = checker(document)
    const visited = new Set<string>()
    const wrong: (string | undefined)[] = []
    for await (const [name, answer] of tour(api)) {
      visited.add(name)
      wrong.push(check(name, answer))
      if (answer.status >= 300) wrong.push(`${name} was to succeed and answered ${answer.status} ${answer.text}`)
    }
    expect(wrong.filter((it) => it !== undefined)).toEqual([])
    const unseen = operationsOf(document).filter((it) => !visited.has(it.operationId))
    expect(
      unseen.map((it) => it.operationId),
      'give them a step in the tour',
    ).toEqual([])
  })

  test('with errors have a status of the document', async () => {
    const api = await fresh(database)
    const check = checker((await read(api)).body)
    const id = Number.MAX_SAFE_INTEGER
    const refused: [name: string, answer: Answered, status: number][] = [
      ['user.me', await api.ask('GET', '/api/user/me', { key: null }), 401],
      ['keys.create', await api.ask('POST', '/api/user/api-keys', { body: {} }), 422],
      ['keys.delete', await api.ask('DELETE', `/api/user/api-keys/${id}`), 404],
      ['tools.create', await api.ask('POST', '/api/user/tools', { body: {} }), 422],
      ['tools.update', await api.ask('PUT', `/api/user/tools/${id}`, { body: {} }), 404],
      ['numbers.search', await api.ask('GET', '/api/user/phone-numbers/search?country_code=XX'), 422],
      ['numbers.buy', await api.buy('+15005550000'), 400],
      ['numbers.buy', await api.buy('+15005550002'), 402],
      ['numbers.buy', await api.buy('nonsense'), 422],
      ['numbers.buy', await api.buy('+15005550004'), 500],
      ['numbers.release', await api.ask('DELETE', `/api/user/phone-numbers/${id}`), 404],
    ]
    for (const [name, answer, status] of refused) {
      expect(answer.status, name).toBe(status)
      expect(check(name, answer)).toBeUndefined()
    }
  })

  test('are checked strictly: an extra field, a missing one or another type is detected', async () => {
    const api = await fresh(database)
    const check = checker((await read(api)).body)
    const { body } = await api.ask('GET', '/api/user/me')
    expect(check('user.me', { status: 200, body })).toBeUndefined()
    for (const it of [
      { ...body, extra: 1 },
      { ...body, email: undefined },
      { ...body, total_balance: '25' },
    ])
      expect(check('user.me', { status: 200, body: it })).toMatch(/^user\.me 200: /)
    expect(check('user.me', { status: 418, body })).toBe('user.me does not say that it answers 418')
  })
})
