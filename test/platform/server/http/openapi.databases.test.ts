import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { tour } from '../../../../src/generate/endpoint-tour.ts'
import { databases, sqlite } from '../../../support/databases.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const root = join(import.meta.dirname, '../../../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

interface Operation {
  readonly operationId: string
  readonly security?: readonly object[]
  readonly description: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}
interface Response {
  readonly description: string
  readonly headers?: object
  readonly content?: {
    readonly 'application/json': {
      readonly schema: Parameters<typeof z.fromJSONSchema>[0]
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
    }
  }
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, Response>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** Returns a response of an operation, which may be one that several share. */
function responseOf({ components }: Document, { responses }: Operation, status: number | string): Response | undefined {
  const response = responses[status]
  return response && '$ref' in response ? components.responses[lastPart(response.$ref)] : response
}

const read = async (api: Api): Promise<Answered> => api.ask('GET', '/openapi.json', { key: null })
const isFirstSuccess = ({ responses }: Operation, status: string): boolean =>
  Number(status) >= 400 ||
  Math.max(
    ...Object.keys(responses)
      .map(Number)
      .filter((it) => it < 300),
  ) === Number(status)
const operationsOf = (document: Document): Operation[] =>
  Object.values(document.paths).flatMap((it) => Object.values(it))

describe('the document at /openapi.json', () => {
  let document: Document
  let text: string
  beforeAll(async () => {
    const answer = await read(await fresh(sqlite, { version }))
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
    const byName = (document: Document) =>
      new Map(operationsOf(document).map((operation) => [operation.operationId, JSON.stringify(operation)]))
    const [here, there] = [byName(document), byName(published)]
    expect(
      [...here].filter(([name, text]) => there.get(name) !== text).map(([name]) => name),
      'run "npm run generate"',
    ).toEqual([])
    expect(document).toEqual(published)
  })

  test('has the control API beside it, at /control/openapi.json', async () => {
    const api = await fresh(sqlite, { version })
    const { status, body } = await api.ask('GET', '/control/openapi.json', { key: null })
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(readFileSync(join(root, 'test/golden/control-openapi.json'), 'utf8')))
  })

  test('has every endpoint of the contract, and nothing else', () => {
    const declared = endpoints.map((it) => `${it.name} ${it.method} ${it.path}`)
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    expect(found.sort()).toEqual(declared.sort())
  })

  test('has an example of every answer, and of every error the text that the platform answers with', () => {
    const missing = operationsOf(document).flatMap((operation) =>
      Object.keys(operation.responses).flatMap((status) => {
        const json = responseOf(document, operation, status)?.content?.['application/json']
        const texts = Object.values(json?.examples ?? {}).map(
          ({ $ref }) => document.components.examples[lastPart($ref)],
        )
        const hasTexts = texts.length > 0 && !texts.includes(undefined)
        // What waits is answered with a text, too.
        const isShown = hasTexts || (Number(status) < 400 && json?.example !== undefined)
        // A request that is not received in time has no answer with a body. A second success has the example of the first.
        return isShown || status === '408' || !isFirstSuccess(operation, status)
          ? []
          : [`${operation.operationId} ${status}`]
      }),
    )
    expect(missing).toEqual([])
    expect(document.components.examples['tools.not_found']).toEqual({ value: { message: 'Tool not found' } })
    expect(document.components.examples['messaging.sender_not_found']).toEqual({
      value: {
        success: false,
        error: 'Sender not found or does not belong to you',
        error_code: 'SENDER_NOT_FOUND',
      },
    })
  })

  test('has the errors of the connection and of the whole API: bodies, methods, limits', () => {
    const create = operationsOf(document).find((it) => it.operationId === 'tools.create')
    expect(Object.keys(create?.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '401', '405', '408', '409', '413', '415', '422', '429', '500', '503']),
    )
    expect(Object.keys(document.components.responses.TooManyRequests?.headers ?? {})).toEqual([
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
    ])
    expect(create && Object.keys(responseOf(document, create, 405)?.headers ?? {})).toEqual(['Allow'])
  })

  test('names the resources once, as the typed client does', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['ApiKey', 'Assistant', 'Automation', 'Campaign', 'KnowledgeBase', 'Lead', 'PhoneNumber']),
    )
    const text = JSON.stringify(document.paths)
    for (const name of ['Campaign', 'KnowledgeBase', 'Tool'])
      expect(text.split(`"#/components/schemas/${name}"`).length, name).toBeGreaterThan(3)
  })

  test('describes every operation and every tag', () => {
    expect(operationsOf(document).filter((it) => it.description.length < 20)).toEqual([])
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
      const operation = operations.get(name)
      const response = operation && responseOf(document, operation, status)
      if (!response?.content) return `${name} does not say that it answers ${status}`
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
    for (const response of [
      { ...body, extra: 1 },
      { ...body, email: undefined },
      { ...body, total_balance: '25' },
    ])
      expect(check('user.me', { status: 200, body: response })).toMatch(/^user\.me 200: /)
    expect(check('user.me', { status: 418, body })).toBe('user.me does not say that it answers 418')
  })
})
