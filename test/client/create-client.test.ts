import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createClient } from '../../src/client/create-client.ts'
import type { Exchange } from '../../src/client/requests/log.ts'
import { clock } from '../../src/contract/control/clock.ts'
import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { keys } from '../../src/contract/resources/keys.ts'
import { numbers } from '../../src/contract/resources/numbers.ts'
import { tools } from '../../src/contract/resources/tools.ts'
import { answer, failureOf, lost, playing } from '../support/scripted-client.ts'

const noKeys = answer(200, { api_keys: [] })
const bought = answer(201, { message: 'ok', data: { id: 5, phone_number: '+14155550123' } })
const chat: Endpoint = {
  name: 'conversations.send',
  method: 'POST',
  path: '/api/conversations/{id}/messages',
  summary: '',
  body: z.object({ message: z.string() }),
  status: 200,
  output: z.object({}),
  errors: [],
  risk: 'write',
  section: '4.9',
  auth: 'none',
}

describe('a request', () => {
  test('has the key, a request id and a user agent', async () => {
    const { call, requests } = playing([noKeys], { userAgent: 'parley/1.2.3' })
    await call(keys.list, {})
    expect(requests[0]).toMatchObject({
      method: 'GET',
      url: '/api/user/api-keys',
      headers: {
        authorization: 'Bearer 1|abcdefghijklmnopqrstuvwxyz',
        accept: 'application/json',
        'user-agent': 'parley/1.2.3',
        'x-request-id': 'id-1',
      },
    })
    expect(requests[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('has no key if none is needed, and the control token only for the local platform', async () => {
    const { call, requests } = playing([answer(200, {})], { controlToken: 'ct-1' })
    await call(chat, { id: 'u', message: 'hi' })
    await call(clock.show, {})
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
    expect(requests[0]?.headers).not.toHaveProperty('parley-control')
    expect(requests[1]?.headers).toMatchObject({ 'parley-control': 'ct-1' })
    expect(requests[1]?.headers).not.toHaveProperty('authorization')
  })

  test('reads the key once, at the first call that needs it', async () => {
    let asked = 0
    const { call, requests } = playing([answer(200, { api_keys: [] })], { key: async () => `1|k${++asked}` })
    await call(chat, { id: 'u', message: 'hi' })
    expect(asked).toBe(0)
    await call(keys.list, {})
    await call(keys.list, {})
    expect(asked).toBe(1)
    expect(requests[2]?.headers.authorization).toBe('Bearer 1|k1')
  })

  test('whose key was replaced is sent once more with the new one, also a purchase, and the next ones have it at once', async () => {
    const refused = answer(401, { message: 'Unauthenticated.' })
    const { call, requests, slept } = playing([refused, bought, noKeys], { replacedKey: async () => '2|new' })
    expect(await call(numbers.buy, { phone_number: '+14155550123' })).toMatchObject({ data: { id: 5 } })
    await call(keys.list, {})
    expect(requests.map((it) => it.headers.authorization)).toEqual([
      'Bearer 1|abcdefghijklmnopqrstuvwxyz',
      'Bearer 2|new',
      'Bearer 2|new',
    ])
    expect(requests[1]?.headers['idempotency-key']).toBe(requests[0]?.headers['idempotency-key'])
    expect(slept).toEqual([])
  })

  test.each([
    ['there is no other key', async () => undefined, 1],
    ['the new one is refused too', async () => '2|new', 2],
  ])('whose key is refused fails when %s', async (_, replacedKey, sent) => {
    const { call, requests } = playing([answer(401, { message: 'Unauthenticated.' })], { replacedKey })
    expect(await failureOf(call(keys.list, {}))).toMatchObject({ exit: 'auth', status: 401 })
    expect(requests).toHaveLength(sent)
  })

  test.each([
    ['no key', { key: async () => undefined }, keys.list, 'no_key'],
    ['a key with a line break', { key: '1|abc\n' }, keys.list, 'invalid_key'],
    ['no control token', {}, clock.show, 'no_control_token'],
  ])('with %s is not sent, and the error has a fix', async (_, options, endpoint, code) => {
    const { call, requests } = playing([noKeys], options)
    expect(await failureOf(call(endpoint as Endpoint, {}))).toMatchObject({
      name: 'ClientFailure',
      exit: 'auth',
      code,
      hint: expect.any(String),
    })
    expect(requests).toEqual([])
  })

  test('always has an idempotency key if it is billable, the same one for every retry', async () => {
    const { call, requests } = playing([
      lost('refused', false),
      answer(429, { message: 'Too Many Attempts.' }, { 'parley-capabilities': 'idempotency' }),
      bought,
    ])
    await call(numbers.buy, { phone_number: '+14155550123' })
    const sent = requests.map((it) => it.headers['idempotency-key'])
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(1)
    expect(sent[0]).toMatch(/./)
  })

  test('has the idempotency key of the caller', async () => {
    const { call, requests } = playing([bought, answer(201, { message: '', data: { id: 1 } })])
    await call(numbers.buy, { phone_number: '+14155550123' }, { idempotencyKey: 'mine' })
    await call(
      tools.create,
      { name: 'a', description: 'b', endpoint: 'https://x.test', method: 'GET' },
      { idempotencyKey: 'mine too' },
    )
    expect(requests.map((it) => it.headers['idempotency-key'])).toEqual(['mine', 'mine too'])
  })

  test('has a new UUID as its key by default', async () => {
    const ids: string[] = []
    const send = async (request: PlainRequest): Promise<PlainResponse> => {
      ids.push(request.headers['x-request-id'] ?? '')
      return noKeys
    }
    const call = createClient({
      transport: { base: 'x', send, close: async () => {} },
      key: 'k',
      sleep: async () => {},
      random: Math.random,
      now: Date.now,
    })
    await call(keys.list, {})
    await call(keys.list, {})
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids[0]).not.toBe(ids[1])
  })
})

describe('a response', () => {
  test('preserves unknown fields', async () => {
    const body = { api_keys: [{ id: 1, name: 'a', scope: { deep: ['x'] } }], extra: 1 }
    expect(await playing([answer(200, body)]).call(keys.list, {})).toEqual(body)
  })

  test('is a success for any 2xx, and with a byte order mark', async () => {
    expect(await playing([answer(202, { api_keys: [] })]).call(keys.list, {})).toEqual({ api_keys: [] })
    expect(await playing([{ ...noKeys, body: '\uFEFF{"api_keys":[]}\n' }]).call(keys.list, {})).toEqual({
      api_keys: [],
    })
  })

  test('is returned with status, headers and ids on request', async () => {
    const { call } = playing([
      lost('reset', true),
      answer(
        200,
        { api_keys: [] },
        { 'x-request-id': 'theirs', 'x-ratelimit-remaining': '4', 'parley-assumed': 'keys.list' },
      ),
    ])
    expect(await call.raw(keys.list, {})).toEqual({
      output: { api_keys: [] },
      status: 200,
      headers: expect.objectContaining({ 'x-ratelimit-remaining': '4' }),
      requestId: 'theirs',
      assumed: 'keys.list',
      attempts: 2,
    })
  })

  test.each([
    [
      'an HTML page',
      answer(200, '<html><head><title>Sign in</title></head><body>Hello</body></html>'),
      'https://platform.test returned 200 with text/html instead of JSON: "Sign in"',
    ],
    ['an empty body', { ...noKeys, body: '' }, 'https://platform.test returned 200 with an empty body.'],
    [
      'JSON that breaks off',
      { ...noKeys, body: '{"api_keys":[{"id"' },
      'https://platform.test returned 200 with incomplete JSON.',
    ],
    ['no list', answer(200, { data: [] }), 'https://platform.test returned 200 without the list "api_keys".'],
    [
      'a value in place of a list',
      answer(200, { api_keys: {} }),
      'https://platform.test returned 200 without the list "api_keys".',
    ],
    ['a bare word', answer(200, null), 'https://platform.test returned 200 without the list "api_keys".'],
  ])('that is %s is a failure of the platform', async (_, response, message) => {
    expect(await failureOf(playing([response]).call(keys.list, {}))).toMatchObject({
      name: 'ClientFailure',
      exit: 'platform',
      code: 'unexpected_answer',
      status: 200,
      message,
    })
  })

  test('without the expected record is a failure too', async () => {
    expect(await failureOf(playing([answer(200, { message: 'ok' })]).call(tools.update, { id: 1 }))).toMatchObject({
      exit: 'platform',
      message: 'https://platform.test returned 200 without "data".',
    })
  })

  test('can be empty if nothing is expected', async () => {
    expect(await playing([{ status: 204, headers: {}, body: '' }]).call(keys.delete, { id: 1 })).toEqual({})
  })

  test('that differs from the contract is reported under --debug only', async () => {
    const notes: string[] = []
    const log = (debug: boolean) => ({ debug, exchange() {}, note: (text: string) => void notes.push(text) })
    const odd = answer(200, { api_keys: [{ id: 'seven' }] })
    await playing([odd], { log: log(false) }).call(keys.list, {})
    expect(notes).toEqual([])
    await playing([odd], { log: log(true) }).call(keys.list, {})
    expect(notes).toEqual([expect.stringContaining('api_keys.0.id')])
  })
})

describe('a retry', () => {
  test('makes a read succeed after failures, and every wait is announced', async () => {
    const { call, slept, waits } = playing([
      lost('refused', false),
      answer(503, '<h1>busy</h1>'),
      answer(429, { message: 'Too Many Attempts.' }, { 'retry-after': '7' }),
      noKeys,
    ])
    await call(keys.list, {})
    expect(slept).toEqual([188, 375, 7000])
    expect(waits.map((it) => it.reason)).toEqual([
      expect.stringMatching(/^Connection refused by \S+[^.]$/),
      'The platform returned 503',
      'The platform returned 429',
    ])
  })

  test('waits as long as the body says', async () => {
    const { call, slept } = playing([answer(429, { message: 'Too Many Attempts.', retry_after: 60 }), noKeys])
    await call(keys.list, {})
    expect(slept).toEqual([60_000])
  })

  test('happens at most the given number of times', async () => {
    const { call, requests } = playing([answer(502, { message: 'x' })], { retries: 1 })
    expect(await failureOf(call(keys.list, {}))).toMatchObject({ exit: 'platform', status: 502 })
    expect(requests).toHaveLength(2)
    const never = playing([answer(502, { message: 'x' })], { retries: 0 })
    await failureOf(never.call(keys.list, {}))
    expect(never.requests).toHaveLength(1)
  })

  test('is not made for a write that may have arrived', async () => {
    for (const step of [lost('reset', true), lost('timeout', true), answer(503, { message: 'x' })]) {
      const { call, requests } = playing([step, answer(200, { message: '', data: {} })])
      await failureOf(call(tools.update, { id: 1 }))
      expect(requests).toHaveLength(1)
    }
  })

  const draft = { name: 'a', description: 'b', endpoint: 'https://x.test', method: 'GET' } as const
  const busy = (headers: Record<string, string> = {}) =>
    answer(429, { message: 'Too Many Attempts.' }, { 'retry-after': '1', ...headers })
  const created = answer(201, { message: '', data: { id: 7 } })

  test('is not made for a creation that was answered with 429: its outcome is unknown', async () => {
    const { call, requests, slept } = playing([busy(), created])
    expect(await failureOf(call(tools.create, draft))).toMatchObject({
      exit: 'unknown',
      code: 'outcome_unknown',
      status: 429,
      retryAfter: 1,
      message: 'Too Many Attempts. The request may have been carried out.',
    })
    expect({ requests: requests.length, slept }).toEqual({ requests: 1, slept: [] })
  })

  test('is made for a creation on a platform with idempotency, under the same key', async () => {
    const { call, requests } = playing([busy({ 'parley-capabilities': 'idempotency' }), created])
    await call(tools.create, draft)
    const [first, second] = requests.map((it) => it.headers['idempotency-key'])
    expect(first).toEqual(expect.any(String))
    expect(second).toBe(first)
  })

  test('is not made for a new API key, which no platform stores in a response: no idempotency key is sent', async () => {
    const { call, requests } = playing([busy({ 'parley-capabilities': 'idempotency' }), created])
    expect(await failureOf(call(keys.create, { name: 'a' }))).toMatchObject({ code: 'outcome_unknown' })
    expect(requests.map((it) => it.headers['idempotency-key'])).toEqual([undefined])
  })

  test('is made for an update and a deletion, which have the same effect twice', async () => {
    const { call, requests } = playing([
      busy(),
      answer(200, { message: '', data: { id: 1 } }),
      busy(),
      answer(200, { message: '' }),
    ])
    await call(tools.update, { id: 1, timeout: 3 })
    await call(tools.delete, { id: 1 })
    expect(requests.map((it) => it.method)).toEqual(['PUT', 'PUT', 'DELETE', 'DELETE'])
  })

  test('of a creation follows a search that finds nothing, after the wait', async () => {
    const asked: number[] = []
    const { call, requests, slept } = playing([busy(), created])
    const findCreated = async (creation: { sentAt: number }) => {
      asked.push(creation.sentAt)
      return { absent: true } as const
    }
    await call(tools.create, draft, { findCreated })
    expect({ requests: requests.length, slept, asked: asked.length }).toEqual({ requests: 2, slept: [1000], asked: 1 })
  })

  test('is not made while the clock of the platform is frozen', async () => {
    const { call, requests } = playing([
      answer(429, { message: 'Too Many Attempts.' }, { 'parley-clock': 'frozen', 'retry-after': '1' }),
    ])
    expect(await failureOf(call(keys.list, {}))).toMatchObject({
      exit: 'rate_limited',
      hint: expect.stringContaining('parley server clock advance'),
      retryAfter: 1,
    })
    expect(requests).toHaveLength(1)
  })

  test('is ended by Ctrl-C during the wait', async () => {
    const stop = new AbortController()
    const { call, requests } = playing([answer(503, { message: 'x' })], { sleep: async () => stop.abort() })
    expect(await failureOf(call(keys.list, {}, { signal: stop.signal }))).toMatchObject({
      exit: 'interrupted',
      code: 'interrupted',
    })
    expect(requests).toHaveLength(1)
  })

  test('is logged, with secrets masked', async () => {
    const seen: Exchange[] = []
    const { call } = playing([lost('reset', true), noKeys], {
      log: { debug: false, exchange: (it) => void seen.push(it), note() {} },
    })
    await call(keys.list, {})
    expect(seen).toMatchObject([
      { attempt: 1, error: { reason: 'reset' }, secrets: ['1|abcdefghijklmnopqrstuvwxyz'] },
      { attempt: 2, response: { status: 200 } },
    ])
  })
})
