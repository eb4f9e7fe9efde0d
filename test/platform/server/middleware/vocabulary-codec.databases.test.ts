import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { normalizeResponse } from '../../../../src/contract/endpoint/normalize-response.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { publicVocabulary } from '../../../../src/contract/vocabulary/public-vocabulary.ts'
import { createCodec } from '../../../../src/contract/vocabulary/vocabulary.ts'
import { tour } from '../../../../src/generate/endpoint-tour.ts'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const codec = createCodec(publicVocabulary)

/** The same platform for clients with the neutral vocabulary; `wire` gets each response as it arrived. */
function neutral(api: Api, wire: (body: unknown) => void): Api {
  const ask: Api['ask'] = async (method, url, asked = {}) => {
    const [path = '', search] = url.split('?')
    const body = asked.body === undefined ? {} : { body: codec.outgoing(asked.body as Record<string, unknown>) }
    const answer = await api.ask(method, codec.path(path) + (search === undefined ? '' : `?${search}`), {
      ...asked,
      ...body,
    })
    wire(answer.body)
    return { ...answer, body: codec.incoming(answer.body) }
  }
  return {
    ...api,
    ask,
    buy: (number) => ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number: number } }),
  }
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly responses: Readonly<Record<string, Answer>> }>>
    >
  >
  readonly components: { readonly schemas: object }
}
interface Answer {
  readonly content: { readonly 'application/json': { readonly schema: Parameters<typeof z.fromJSONSchema>[0] } }
}

/** A shape together with those it names. */
const withShared = (schema: object, shared: object): Parameters<typeof z.fromJSONSchema>[0] =>
  JSON.parse(JSON.stringify({ ...schema, $defs: shared }).replaceAll('#/components/schemas/', '#/$defs/'))

describe.each(databases)('a server on $name with the public vocabulary', (database) => {
  let api: Api
  let document: Document
  beforeAll(async () => {
    api = await fresh(database, { vocabulary: 'public' })
    document = (await api.ask('GET', '/openapi.json', { key: null })).body
  })

  test('responds to every endpoint in its words, as in its OpenAPI document', async () => {
    expect(await new Validator().validate(document as never)).toMatchObject({ valid: true })
    const operations = new Map(
      Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).map((operation) => [operation.operationId, operation]),
      ),
    )
    const wrong: string[] = []
    let wire: unknown
    for await (const [name, { status, text }] of tour(
      neutral(api, (answer) => {
        wire = answer
      }),
    )) {
      const schema = operations.get(name)?.responses[status]?.content['application/json'].schema
      const last = JSON.parse(text)
      const checked =
        schema === undefined
          ? undefined
          : z.fromJSONSchema(withShared(schema as object, document.components.schemas)).safeParse(last)
      if (status >= 300 || !checked?.success) wrong.push(`${name} ${status}: ${checked?.error?.message ?? text}`)
      const endpoint = endpoints.find((it) => it.name === name) as Endpoint
      if (!endpoint.output.safeParse(normalizeResponse(endpoint.output, codec.incoming(last))).success)
        wrong.push(`${name} is not understood again`)
    }
    expect(wrong).toEqual([])
    expect(wire).toBeDefined()
  })

  test('has no neutral word in its OpenAPI document', () => {
    expect(Object.keys(document.paths).filter((it) => it.includes('/messaging'))).toEqual([])
    expect(Object.keys(document.paths)).toContain('/api/user/whatsapp/senders/{senderId}/templates')
    const text = JSON.stringify(
      Object.values(document.paths).map((it) => Object.values(it).map((operation) => operation.responses)),
    )
    for (const word of Object.keys(publicVocabulary.keys)) expect(text).not.toContain(`"${word}"`)
    expect(text).not.toMatch(/"cal_[ab]/)
  })

  test('does not know the neutral words: paths, fields, values, in queries too', async () => {
    expect(await api.ask('GET', '/api/user/messaging/senders')).toMatchObject({
      status: 404,
      text: '{"message":"Not Found"}',
    })
    expect(await api.ask('POST', '/api/user/whatsapp/senders')).toMatchObject({ status: 405 })
    const draft = {
      name: 'Tour',
      voice_id: 1,
      language_id: 1,
      type: 'outbound',
      mode: 'pipeline',
      timezone: 'UTC',
      initial_message: 'Hi',
      system_prompt: 'x',
      llm_model_id: 2,
    }
    const tools = [{ type: 'calendar_integration', calendar_type: 'cal_a', cal_a_api_key: 'k', cal_a_event_slug: 's' }]
    const refused = await api.ask('POST', '/api/user/assistant', { body: { ...draft, tools } })
    expect(refused.status).toBe(422)
    expect(Object.keys(refused.body.errors)).toContain('tools.0.calendar_type')
    const theirs = [
      { type: 'calendar_integration', calendar_type: 'calcom', calcom_api_key: 'k', calcom_event_slug: 's' },
    ]
    expect(await api.ask('POST', '/api/user/assistant', { body: { ...draft, tools: theirs } })).toMatchObject({
      status: 201,
    })
    const missing = await api.ask('POST', '/api/user/assistant', {
      body: { ...draft, tools: [{ ...theirs[0], calcom_api_key: '' }] },
    })
    expect(missing).toMatchObject({
      status: 422,
      body: { errors: { 'tools.0.calcom_api_key': ['The tools.0.calcom api key field is required.'] } },
    })
  })

  test('returns assistants as public deployments do', async () => {
    const { body } = await api.ask('GET', '/api/user/assistants/get')
    const [assistant] = body.data as Record<string, unknown>[]
    expect(assistant).toMatchObject({
      llm_temperature: expect.stringMatching(/^\d\.\d\d$/),
      end_call_on_voicemail: expect.any(Number),
    })
    for (const { tools } of body.data)
      for (const tool of tools ?? []) expect(Object.keys(tool)).toEqual(['type', 'data'])
  })

  test('passes on deliberately invalid JSON', async () => {
    for (const socket of ['html', 'garbage'])
      expect(
        await api.control('POST', '/control/faults', { endpoint: 'languages.list', socket, times: 1 }),
      ).toMatchObject({ status: 201 })
    const request = {
      method: 'GET',
      url: '/api/user/assistants/languages',
      headers: { authorization: `Bearer ${api.platform.credentials().key}` },
    }
    expect((await api.platform.handle(request)).body).toMatch(/^<|html/i)
    expect((await api.platform.handle(request)).status).toBe(200)
    expect(JSON.parse((await api.platform.handle(request)).body)).toBeInstanceOf(Array)
  })

  test('does not change its probes and control routes', async () => {
    expect(await api.ask('GET', '/healthz', { key: null })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await api.control('GET', '/control/status')).toMatchObject({ status: 200 })
  })

  test('refuses an invalid body like a neutral server', async () => {
    for (const [raw, status] of [
      ['{', 400],
      ['[1', 400],
      ['{"a":'.repeat(50_000), 400],
      ['[]', 422],
      ['"messaging"', 422],
      [`{"schema":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 422],
    ] as const)
      expect((await api.ask('POST', '/api/user/tools', { raw })).status, raw.slice(0, 20)).toBe(status)
  })
})
