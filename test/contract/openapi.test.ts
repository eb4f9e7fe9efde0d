import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { Delivery } from '../../src/contract/control/deliveries.ts'
import { controlEndpoints } from '../../src/contract/control/index.ts'
import { createControlDocument } from '../../src/contract/openapi/control-document.ts'
import { createOpenApiDocument } from '../../src/contract/openapi/openapi-document.ts'
import { webhookEvents } from '../../src/contract/openapi/webhook-events.ts'

const root = join(import.meta.dirname, '../..')
// biome-ignore lint/suspicious/noExplicitAny: the documents are read as their readers do.
const golden = (name: string): any => JSON.parse(readFileSync(join(root, 'test/golden', name), 'utf8'))
const none = { requests: {}, responses: {}, failures: {} }

test('the document of the control API has each of its endpoints, with the header that it needs', async () => {
  const document = golden('control-openapi.json')
  expect((await new Validator().validate(document)).errors).toBeUndefined()
  const found = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  )
  expect(found.sort()).toEqual(controlEndpoints.map((it) => `${it.name} ${it.method.toLowerCase()} ${it.path}`).sort())
  expect(document.components.securitySchemes.key).toMatchObject({ in: 'header', name: 'parley-control' })
})

test('the document of the control API has the answers of a request without the token, or from another machine', () => {
  const { get } = golden('control-openapi.json').paths['/control/clock']
  expect(Object.keys(get.responses)).toEqual(['200', '401', '403', '405', '429', '500', '503'])
})

interface Content {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>
}
interface OperationObject {
  readonly operationId?: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

test('both documents are complete without examples', () => {
  for (const document of [createOpenApiDocument('1.0.0', none), createControlDocument('1.0.0', none)])
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
})

test('the webhooks section has each event that is delivered, with a payload as the platform sent it', () => {
  const { webhooks } = golden('openapi.json')
  expect(Object.keys(webhooks).sort()).toEqual([...Delivery.shape.event.options].sort())
  const wrong = Object.entries(webhookEvents).flatMap(([name, { payload }]) => {
    const { example } = webhooks[name].post.requestBody.content['application/json']
    if (example === undefined) return []
    const checked = (payload as z.ZodObject).strict().safeParse(example)
    return checked.success ? [] : [`${name}: ${checked.error.message}`]
  })
  expect(wrong).toEqual([])
  const withoutExample = Object.keys(webhooks).filter(
    (it) => webhooks[it].post.requestBody.content['application/json'].example === undefined,
  )
  expect(withoutExample).toEqual([])
})

test('every operation has an example of its answer, and of its request', () => {
  const missing = ['openapi.json', 'control-openapi.json'].flatMap((name) =>
    Object.values(golden(name).paths as Record<string, Record<string, OperationObject>>)
      .flatMap((it) => Object.values(it))
      .filter((it) => it.operationId !== undefined)
      .filter(({ requestBody, responses }) => {
        const lacksExample = ({ content }: Content): boolean =>
          content?.['application/json'] !== undefined && content['application/json'].example === undefined
        const answers = Object.entries(responses).flatMap(([status, response]) =>
          status.startsWith('2') ? [response] : [],
        )
        return (requestBody && lacksExample(requestBody)) || (answers.length > 0 && answers.every(lacksExample))
      })
      .map((it) => it.operationId),
  )
  expect(missing).toEqual([])
})

test('a body with a file is documented as a form, and as JSON without the file', () => {
  const { content } = golden('openapi.json').paths['/api/user/knowledgebases/{id}/documents'].post.requestBody
  expect(content['application/json'].schema.properties.file).toBe(undefined)
  expect(content['multipart/form-data'].schema.properties.file).toMatchObject({ type: 'string', format: 'binary' })
})

test('times are date-time, and actions are listed', () => {
  const { components, paths } = golden('openapi.json')
  expect(components.schemas.ApiKey.properties.created_at).toMatchObject({ type: 'string', format: 'date-time' })
  const { schema } = paths['/api/user/campaigns/update-status'].post.requestBody.content['application/json']
  expect(schema.properties.action).toMatchObject({ type: 'string', enum: ['start', 'stop'] })
})
