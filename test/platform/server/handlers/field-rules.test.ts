import { describe, expect, test } from 'vitest'
import { modeSettings } from '../../../../src/contract/assistants/engine-modes.ts'
import { allowedValues } from '../../../../src/contract/endpoint/coerce.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { routes } from '../../../../src/generated/routes.ts'
import { sqlite } from '../../../support/databases.ts'
import { desk, realtime } from '../../../support/platform/assistant-drafts.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const api = await fresh(sqlite, { seed: 7 })

describe('a method that a path does not have', () => {
  test('is refused with the methods it has', async () => {
    expect(await api.ask('PATCH', '/api/user/tools')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, POST' },
      body: { message: 'Method Not Allowed' },
    })
    expect(await api.ask('POST', '/api/user/tools/1')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, PUT, DELETE' },
    })
    expect(await api.ask('GET', '/api/user/lead')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(await api.platform.handle({ method: 'HEAD', url: '/api/user/lead', headers: {} })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      body: '',
    })
    expect(await api.ask('POST', '/healthz')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect((await api.ask('PATCH', '/api/user/nothing')).headers).not.toHaveProperty('allow')
  })

  test.each(['', 'public'] as const)('lists its methods in every vocabulary: %s', async (vocabulary) => {
    const spoken = vocabulary === '' ? api : await fresh(sqlite, { seed: 7, vocabulary })
    const path = vocabulary === '' ? 'messaging' : 'whatsapp'
    expect(await spoken.ask('DELETE', `/api/user/${path}/senders`)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })
})

describe('HEAD', () => {
  const reads = routes.filter(([method, path]) => method === 'GET' && path.startsWith('/api/') && !path.includes('{'))

  test.each(['', 'public'] as const)('answers like GET without a body, on every read: %s', async (vocabulary) => {
    const spoken = vocabulary === '' ? api : await fresh(sqlite, { seed: 7, vocabulary })
    for (const [, path] of reads) {
      const url = vocabulary === '' ? path : path.replace('/messaging/', '/whatsapp/')
      const get = await spoken.ask('GET', url)
      const head = await spoken.platform.handle({
        method: 'HEAD',
        url,
        headers: { authorization: `Bearer ${spoken.platform.credentials().key}` },
      })
      expect(head.status, url).toBe(get.status)
      expect(head.body, url).toBe('')
      expect(head.headers['content-type'], url).toBe(get.headers['content-type'])
      expect(head.headers['content-length'], url).toBe(String(Buffer.byteLength(get.text)))
    }
  })

  test('requires a key if GET does', async () => {
    expect(await api.platform.handle({ method: 'HEAD', url: '/api/user/tools', headers: {} })).toMatchObject({
      status: 401,
      body: '',
    })
  })
})

test('a UUID in capital letters is found: conversations, their messages, and assistants', async () => {
  const { id } = (await api.ask('POST', '/api/user/assistant', { body: desk })).body.data
  const { uuid } = (await api.ask('GET', '/api/user/assistants/get?per_page=100')).body.data.find(
    (it: { id: number }) => it.id === id,
  )
  const started = await api.ask('POST', '/api/conversations', {
    body: { assistant_id: uuid.toUpperCase(), type: 'test' },
  })
  expect(started).toMatchObject({ status: 200, body: { status: true } })
  const conversation = started.body.conversation_id.toUpperCase()
  expect(await api.ask('GET', `/api/conversations/${conversation}`)).toMatchObject({ status: 200 })
  expect(
    await api.ask('POST', `/api/conversations/${conversation}/messages`, { body: { message: 'Hello' } }),
  ).toMatchObject({
    status: 200,
    body: { status: true },
  })
  expect(await api.ask('POST', `/api/automate/conversations/${conversation}/disable-ai`)).toMatchObject({
    status: 200,
    body: { ai_enabled: false },
  })
  expect((await api.ask('GET', `/api/conversations/${conversation}`)).body.history).toHaveLength(
    (await api.ask('GET', `/api/conversations/${conversation.toLowerCase()}`)).body.history.length,
  )
})

const blanks = ['', ' ', '\n\t ', '\u00a0', '\u200b', '\u2060\ufeff ', '\u0007']

test('a blank message is refused and not charged: in a chat, a reply, an SMS and freeform text', async () => {
  const { id } = (await api.ask('POST', '/api/user/assistant', { body: desk })).body.data
  const { uuid } = (await api.ask('GET', '/api/user/assistants/get?per_page=100')).body.data.find(
    (it: { id: number }) => it.id === id,
  )
  const { conversation_id } = (await api.ask('POST', '/api/conversations', { body: { assistant_id: uuid } })).body
  const balance = (await api.ask('GET', '/api/user/me')).body.total_balance
  for (const message of blanks) {
    const label = JSON.stringify(message)
    expect(
      await api.ask('POST', `/api/conversations/${conversation_id}/messages`, { body: { message } }),
      label,
    ).toMatchObject({
      status: 422,
      body: { message: 'The message field is required.', errors: { message: ['The message field is required.'] } },
    })
    expect(
      await api.ask('POST', '/api/user/sms', { body: { from: 1, to: '+14155550142', body: message } }),
      label,
    ).toMatchObject({
      status: 422,
      body: { errors: { body: [expect.any(String)] } },
    })
  }
  for (const message of [' ', '\u200b'])
    expect(
      await api.ask('POST', '/api/user/messaging/send-freeform', {
        body: { sender_id: 1, recipient_phone: '+14155550142', message },
      }),
    ).toMatchObject({
      status: 422,
      body: { errors: { message: [expect.any(String)] } },
    })
  for (const message of blanks.slice(0, 4))
    expect(
      await api.ask('POST', '/api/user/ai/generate-reply', {
        body: { assistant_id: id, customer_identifier: 'x', message },
      }),
      JSON.stringify(message),
    ).toMatchObject({
      status: 422,
    })
  expect(
    (await api.ask('GET', `/api/conversations/${conversation_id}`)).body.history.filter(
      (it: { role: string }) => it.role === 'user',
    ),
  ).toEqual([])
  expect((await api.ask('GET', '/api/user/me')).body.total_balance).toBe(balance)
})

const reads = endpoints.filter((it) => it.method === 'GET' && it.auth === undefined && it.query !== undefined)

test.each(reads.map((it) => [it.name, it] as const))(
  '%s refuses a list for a parameter of one value, naming the parameter',
  async (_, endpoint) => {
    const path = endpoint.path.replace(/\{\w+\}/g, '1')
    for (const [name, schema] of Object.entries(endpoint.query?.shape ?? {})) {
      const [value = 'a'] = allowedValues(schema as never) ?? []
      for (const query of [`${name}[]=${value}`, `${name}[0]=${value}&${name}[1]=b`]) {
        const { status, body } = await api.ask('GET', `${path}?${query}`)
        expect({ query, status, errors: Object.keys(body.errors ?? {}) }).toMatchObject({
          query,
          status: 422,
          errors: expect.arrayContaining([name]),
        })
      }
    }
  },
)

test('a filter by a resource of another account is refused, naming the field, in every list that has it', async () => {
  const other = await api.account()
  for (const endpoint of reads.filter((it) => it.paged))
    for (const name of ['assistant_id', 'campaign_id'].filter((it) => Object.hasOwn(endpoint.query?.shape ?? {}, it))) {
      const own = await api.ask('GET', `${endpoint.path}?${name}=1`)
      expect(own.status, endpoint.name).toBe(200)
      expect(await api.ask('GET', `${endpoint.path}?${name}=1`, { key: other.key }), endpoint.name).toMatchObject({
        status: 422,
        body: { errors: { [name]: [expect.any(String)] } },
      })
      expect(await api.ask('GET', `${endpoint.path}?${name}=999999`), endpoint.name).toMatchObject({
        status: 422,
        body: { errors: { [name]: [expect.any(String)] } },
      })
    }
})

const values: Record<keyof typeof modeSettings, unknown> = {
  llm_model_id: 1,
  transcriber_provider_id: 1,
  fillers: true,
  filler_config: { positive: ['great'] },
  multimodal_model_id: 21,
  chat_llm_fallback_id: 1,
  turn_detection_threshold: 0.4,
  synthesizer_provider_id: 1,
  voice_stability: 0.9,
  voice_similarity: 0.9,
  speech_speed: 1.1,
}
const foreign = (mode: string) =>
  Object.keys(modeSettings).filter(
    (it) => !(modeSettings[it as keyof typeof modeSettings] as readonly string[]).includes(mode),
  )
const pick = (names: readonly string[]) =>
  Object.fromEntries(names.map((it) => [it, values[it as keyof typeof values]]))

describe('a field of another mode', () => {
  test.each([
    ['pipeline', desk],
    ['multimodal', realtime],
  ])('is accepted, not stored, and named in Parley-Ignored: %s', async (mode, draft) => {
    const names = foreign(mode)
    expect(names.length).toBeGreaterThan(2)
    const made = await api.ask('POST', '/api/user/assistant', { body: { ...draft, ...pick(names) } })
    expect(made).toMatchObject({ status: 201, headers: { 'parley-ignored': names.join(', ') } })
    const { id } = made.body.data
    const changed = await api.ask('PUT', `/api/user/assistant/${id}`, { body: { ...pick(names), max_duration: 90 } })
    expect(changed).toMatchObject({ status: 200, headers: { 'parley-ignored': names.join(', ') } })
    const all = (await api.ask('GET', '/api/user/assistants/get?per_page=100')).body.data
    const stored = all.find((it: { id: number }) => it.id === id)
    for (const name of names) expect(stored[name], name).toBeNull()
    expect(stored.max_duration).toBe(90)
  })

  test('is not named when it is null, when it belongs to the mode, or to the mode the request enters', async () => {
    const made = await api.ask('POST', '/api/user/assistant', {
      body: { ...desk, fillers: true, voice_stability: 0.8 },
    })
    expect(made.headers).not.toHaveProperty('parley-ignored')
    const path = `/api/user/assistant/${made.body.data.id}`
    expect(
      (await api.ask('PUT', path, { body: { turn_detection_threshold: null, chat_llm_fallback_id: null } })).headers,
    ).not.toHaveProperty('parley-ignored')
    const entered = await api.ask('PUT', path, {
      body: { mode: 'multimodal', voice_id: 43, multimodal_model_id: 21, turn_detection_threshold: 0.3, fillers: true },
    })
    expect(entered).toMatchObject({ status: 200, headers: { 'parley-ignored': 'fillers' } })
  })

  test.each([
    ['pipeline', desk],
    ['multimodal', realtime],
  ])('is ignored whatever its value is: %s', async (mode, draft) => {
    const bad = Object.fromEntries(foreign(mode).map((name) => [name, 'nonsense']))
    const made = await api.ask('POST', '/api/user/assistant', { body: { ...draft, ...bad } })
    expect(made).toMatchObject({ status: 201, headers: { 'parley-ignored': Object.keys(bad).join(', ') } })
    const path = `/api/user/assistant/${made.body.data.id}`
    expect(await api.ask('PUT', path, { body: { ...bad, max_duration: 91 } })).toMatchObject({
      status: 200,
      headers: { 'parley-ignored': Object.keys(bad).join(', ') },
    })
    // The mode that a request enters decides, and an unknown mode excuses nothing.
    expect(await api.ask('PUT', path, { body: { mode, max_duration: 92, ...bad } })).toMatchObject({ status: 200 })
    const unknown = await api.ask('PUT', path, { body: { mode: 'other', ...bad } })
    expect(unknown).toMatchObject({ status: 422, body: { errors: { mode: expect.any(Array) } } })
    expect(unknown.headers).not.toHaveProperty('parley-ignored')
  })

  test('of another channel of a campaign is named, and its value is checked', async () => {
    const body = { name: 'Calls', assistant_id: 1, timezone: 'UTC', sms_body: 'Hi', messages_per_minute: 5 }
    const made = await api.ask('POST', '/api/user/campaign', { body })
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    expect(made.headers['parley-ignored']?.split(', ').sort()).toEqual(['messages_per_minute', 'sms_body'])
    const changed = await api.ask('PUT', `/api/user/campaign/${made.body.data.id}`, { body: { sms_body: 'Hi' } })
    expect(changed).toMatchObject({ status: 200, headers: { 'parley-ignored': 'sms_body' } })
  })

  test('is refused only where the specification says so: the prompt mode of a knowledge base', async () => {
    const { status, body } = await api.ask('POST', '/api/user/assistant', {
      body: { ...realtime, knowledgebase_mode: 'prompt' },
    })
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['knowledgebase_mode'] })
  })
})

const make = (tool: object) => api.ask('POST', '/api/user/assistant', { body: { ...desk, tools: [tool] } })

test('numbers that calls are transferred to are E.164, in call_transfer and for a supervisor who is not reached over SIP', async () => {
  const warm = { type: 'warm_call_transfer', outbound_phone_id: 1, description: 'When asked' }
  for (const wrong of [
    '4155550142',
    '+1',
    '+1 415 555 0142',
    'reception',
    '+0155550142',
    'sip:desk@example.com',
    '+14155550142555555',
  ]) {
    expect(await make({ type: 'call_transfer', phone_number: wrong }), wrong).toMatchObject({
      status: 422,
      body: {
        errors: { 'tools.0.phone_number': ['The tools.0.phone number field must be a phone number in E.164 format.'] },
      },
    })
    for (const custom_sip of [false, undefined])
      expect(await make({ ...warm, supervisor_phone: wrong, custom_sip }), wrong).toMatchObject({
        status: 422,
        body: {
          errors: {
            'tools.0.supervisor_phone': ['The tools.0.supervisor phone field must be a phone number in E.164 format.'],
          },
        },
      })
    expect(await make({ ...warm, supervisor_phone: wrong, custom_sip: true }), wrong).toMatchObject({ status: 201 })
  }
  expect(await make({ type: 'call_transfer', phone_number: '+14155550142' })).toMatchObject({ status: 201 })
  expect(await make({ ...warm, supervisor_phone: '+442071838750' })).toMatchObject({ status: 201 })
})

test('a null messaging_limit is always unlimited: a sender whose limit is not known is shown as such and is never null', async () => {
  const { data } = (await api.ask('GET', '/api/user/messaging/senders?status=all')).body
  for (const window of data) {
    expect(window.messaging_limit === null, JSON.stringify(window)).toBe(
      window.messaging_limit_formatted === 'Unlimited',
    )
    expect(Object.keys(window)).toEqual([
      'id',
      'phone_number',
      'display_name',
      'status',
      'quality_rating',
      'messaging_limit',
      'messaging_limit_formatted',
    ])
  }
  expect(
    data.filter((it: { messaging_limit_formatted: string }) => it.messaging_limit_formatted === 'Unknown'),
  ).toEqual([expect.objectContaining({ messaging_limit: 0 })])
})

test('a query parameter with one value that is given twice is refused by its name, and a list is accepted', async () => {
  const twice = await api.ask('GET', '/api/user/assistants/get?page=1&page=2')
  expect(twice).toMatchObject({ status: 422, body: { errors: { page: [expect.any(String)] } } })
  expect(await api.ask('GET', '/api/user/assistants/get?page=1&page=')).toMatchObject({ status: 200 })
  expect(await api.ask('GET', '/api/user/assistants/get?page=1&utm=a&utm=b')).toMatchObject({ status: 200 })
})
