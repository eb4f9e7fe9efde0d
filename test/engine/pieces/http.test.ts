import { describe, expect, test } from 'vitest'
import { http } from '../../support/automation-nodes.ts'
import { createFakePorts, outputOf, reply, runStep, sentBy } from './fake-ports.ts'

const answering = (status: number, body: unknown, headers?: Record<string, string>) =>
  createFakePorts({ 'http.send': reply(status, body, headers) })

async function requestOf(input: object) {
  const fakes = answering(200, {})
  await runStep(http(input), fakes)
  return sentBy(fakes)
}

describe('a request', () => {
  test('has its URL with both kinds of query, its headers and its timeout', async () => {
    expect(
      await requestOf({
        url: ' https://a.test/x?a=1 ',
        queryParams: { b: 'ü &', c: 2 },
        headers: { 'X-One': 1, '': 'x' },
        timeout: '2.5',
      }),
    ).toMatchObject({
      method: 'GET',
      url: 'https://a.test/x?a=1&b=%C3%BC+%26&c=2',
      headers: { 'X-One': '1' },
      body: undefined,
      timeout: 2500,
    })
    expect((await requestOf({})).timeout).toBe(30_000)
  })

  test.each<[string, object, string | undefined, string | undefined]>([
    ['JSON', { body_type: 'json', body: { data: { a: 1 } } }, 'application/json', '{"a":1}'],
    ['JSON in a text', { body_type: 'json', body: { data: '{"a": 1}' } }, 'application/json', '{"a": 1}'],
    ['JSON as older flows had it', { body: { a: 1 } }, 'application/json', '{"a":1}'],
    [
      'JSON with a large integer',
      { body: { data: { id: 7615917337495251231n } } },
      'application/json',
      '{"id":7615917337495251231}',
    ],
    [
      'a form with a large integer',
      { body_type: 'form_urlencoded', body: { data: { id: 7615917337495251231n } } },
      'application/x-www-form-urlencoded',
      'id=7615917337495251231',
    ],
    ['a raw text', { body_type: 'raw', body: { data: 'plain' } }, 'text/plain; charset=utf-8', 'plain'],
    [
      'a form',
      { body_type: 'form_urlencoded', body: { data: { a: 'x y', b: 2 } } },
      'application/x-www-form-urlencoded',
      'a=x+y&b=2',
    ],
    ['nothing', { body_type: 'none', body: { data: { a: 1 } } }, undefined, undefined],
    ['nothing given', {}, undefined, undefined],
  ])('carries %s', async (_, input, type, body) => {
    const sent = await requestOf({ method: 'POST', ...input })
    expect(sent.headers['content-type']).toBe(type)
    expect(sent.body).toBe(body)
  })

  test('has a multipart form whose names and values are escaped', async () => {
    const sent = await requestOf({
      method: 'post',
      body_type: 'form_data',
      body: { data: { 'a"\r\nX: y': 'v', b: '--parley-form' } },
    })
    const boundary = /boundary=(.+)$/.exec(sent.headers['content-type'] ?? '')?.[1] ?? ''
    expect(boundary).toBe('parley-form-x')
    expect(String(sent.body).split(`--${boundary}`)).toHaveLength(4)
    expect(sent.body).toContain('name="a%22%0D%0AX: y"')
  })

  test.each([
    ['BASIC', { username: 'ada', password: 'é' }, `Basic ${Buffer.from('ada:é').toString('base64')}`],
    ['BEARER_TOKEN', { token: 't' }, 'Bearer t'],
    ['NONE', {}, undefined],
  ])('identifies itself: %s', async (authType, authFields, expected) => {
    expect((await requestOf({ authType, authFields })).headers.authorization).toBe(expected)
    expect((await requestOf({ authType, authFields, headers: { Authorization: 'mine' } })).headers).toEqual({
      Authorization: 'mine',
    })
  })

  test('that writes has the same idempotency key at every attempt, unless it has its own', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await requestOf({ method })).headers['idempotency-key']).toBe('run:step_1')
    expect((await requestOf({ method: 'GET' })).headers['idempotency-key']).toBeUndefined()
    expect((await requestOf({ method: 'POST', headers: { 'Idempotency-Key': 'own' } })).headers).toEqual({
      'Idempotency-Key': 'own',
    })
  })

  test.each<[object, RegExp]>([
    [{ url: '' }, /url is required/],
    [{ url: 'file:///etc/passwd' }, /url must be an http or https address/],
    [{ url: 'javascript:alert(1)' }, /url must be/],
    [{ method: 'TRACE' }, /method must be one of/],
    [{ headers: { 'a b': 'x' } }, /headers has the invalid header name "a b"/],
    [{ headers: { A: 'x\r\nB: y' } }, /headers.A contains characters/],
    [{ method: 'POST', body_type: 'json', body: { data: '{a' } }, /not valid JSON/],
    [{ authType: 'BEARER_TOKEN' }, /token is required/],
    [{ timeout: 0 }, /timeout must be at least/],
    [{ timeout: 'soon' }, /timeout must be a number/],
  ])('%j is refused before anything is sent', async (input, message) => {
    const fakes = answering(200, {})
    await expect(runStep(http(input), fakes)).rejects.toThrow(message)
    expect(fakes.asked).toEqual([])
  })
})

describe('a connection of the kind custom in auth', () => {
  const auth = { base_url: 'https://api.test/v2/', headers: { 'X-Api-Key': 'k1', accept: 'text/plain' }, token: 't' }

  test('gives the base URL of a path, and headers that the step does not set', async () => {
    expect(
      await requestOf({
        url: '/orders/42?all=1',
        auth,
        queryParams: { b: 2 },
        headers: { Accept: 'application/json' },
      }),
    ).toMatchObject({
      url: 'https://api.test/v2/orders/42?all=1&b=2',
      headers: { 'X-Api-Key': 'k1', Accept: 'application/json' },
    })
    expect((await requestOf({ url: 'https://api.test/other', auth })).headers).toMatchObject({ 'X-Api-Key': 'k1' })
  })

  test.each<[string, object, string]>([
    [
      'another origin',
      { url: 'https://evil.test/x', auth },
      'url is on https://evil.test, but the connection in auth is for https://api.test.',
    ],
    ['an address that only looks like a path', { url: '//evil.test/x', auth }, ''],
    ['an invalid base URL', { url: '/x', auth: { base_url: 'api.test' } }, 'auth: The connection must have a base_url'],
    ['a path alone', { url: '/x' }, 'url must be an http or https address, or a path with a connection in auth.'],
    ['a path and a key', { url: '/x', auth: 'k1' }, 'url must be an http or https address. A path needs a connection'],
  ])('never sends its headers to %s', async (_, input, message) => {
    const fakes = answering(200, {})
    if (message !== '') await expect(outputOf(http(input), fakes)).rejects.toThrow(message)
    else expect((await requestOf(input)).url).toBe('https://api.test/v2//evil.test/x')
    expect(fakes.asked).toEqual([])
  })
})

describe('a response', () => {
  test('has all digits of large integers, and its text without a byte order mark, in its character set', async () => {
    const bodyOf = async (bytes: Buffer, type: string) =>
      (
        (await outputOf(
          http(),
          createFakePorts({ 'http.send': { ...reply(200, ''), headers: { 'content-type': type }, body: bytes } }),
        )) as { body: unknown }
      ).body
    expect(await bodyOf(Buffer.from('\ufeff{"id":7615917337495251231}'), 'application/json')).toEqual({
      id: 7615917337495251231n,
    })
    expect(await bodyOf(Buffer.from('{"a":1e400}'), 'application/json')).toBe('{"a":1e400}')
    expect(await bodyOf(Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=iso-8859-1')).toBe('café')
    expect(await bodyOf(Buffer.from([0x83, 0x65]), 'text/plain; charset=Shift_JIS')).toBe('テ')
    expect(await bodyOf(Buffer.from('\ufeffé', 'utf16le'), 'text/plain')).toBe('é')
    expect(await bodyOf(Buffer.from('\ufeffé'), 'text/csv')).toBe('é')
  })

  test('has its status, headers and parsed body', async () => {
    expect(await outputOf(http(), answering(201, { id: 1 }))).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: { id: 1 },
    })
    expect(await outputOf(http(), answering(200, 'plain', { 'content-type': 'text/plain' }))).toMatchObject({
      body: 'plain',
    })
    expect(await outputOf(http(), answering(200, '{bad'))).toMatchObject({ body: '{bad' })
    expect(await outputOf(http(), answering(200, '['.repeat(5000) + ']'.repeat(5000)))).toMatchObject({
      body: '['.repeat(5000) + ']'.repeat(5000),
    })
    expect(await outputOf(http({ response_is_binary: true }), answering(200, 'ab'))).toMatchObject({ body: 'YWI=' })
  })

  test.each<[number, string]>([
    [400, 'wiring_error'],
    [401, 'missing_connection'],
    [404, 'missing_record'],
    [410, 'missing_record'],
    [422, 'wiring_error'],
    [429, 'wiring_error'],
    [500, 'wiring_error'],
    [503, 'wiring_error'],
  ])('of %i fails as %s', async (status, classification) => {
    await expect(runStep(http(), answering(status, { message: 'No such\ncustomer' }))).rejects.toMatchObject({
      message: `The server answered ${status}: No such customer`,
      classification,
      mayRetry: true,
    })
  })

  test('has the time to wait', async () => {
    await expect(runStep(http(), answering(429, {}, { 'retry-after': '7' }))).rejects.toMatchObject({
      retryAfter: 7_000_000,
    })
    await expect(runStep(http(), answering(429, {}, { 'retry-after': '999999' }))).rejects.toMatchObject({
      retryAfter: 3_600_000_000,
    })
  })

  test('with an error status is the output if the flow wants that', async () => {
    const output = { response: { status: 404, body: { m: 1 } }, request: { body: null } }
    expect(await outputOf(http({ failsafe: true }), answering(404, { m: 1 }))).toEqual(output)
    expect(await outputOf(http({ failureMode: 'continue_all' }), answering(404, { m: 1 }))).toEqual(output)
    expect(await outputOf(http({ failureMode: 'continue_4xx' }), answering(404, { m: 1 }))).toEqual(output)
    await expect(runStep(http({ failureMode: 'continue_4xx' }), answering(500, {}))).rejects.toThrow('500')
    await expect(runStep(http({ failureMode: 'continue_none' }), answering(404, {}))).rejects.toThrow('404')
  })

  test.each([
    [undefined, 404, true],
    ['retry_all', 404, true],
    ['retry_5xx', 404, false],
    ['retry_5xx', 503, true],
    ['retry_none', 503, false],
    ['continue_none', 503, false],
    ['continue_4xx', 503, true],
  ])('with the failure mode %s and status %i may be tried again: %s', async (failureMode, status, mayRetry) => {
    await expect(runStep(http({ failureMode }), answering(status, {}))).rejects.toMatchObject({ mayRetry })
  })
})
