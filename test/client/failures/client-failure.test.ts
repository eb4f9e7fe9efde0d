import { describe, expect, test } from 'vitest'
import { failureFromResponse } from '../../../src/client/failures/failure-from-response.ts'
import { failureFromTransport } from '../../../src/client/failures/failure-from-transport.ts'
import { isOutcomeAnswer } from '../../../src/client/failures/outcome-answer.ts'
import { localPlatform } from '../../../src/client/transport/platform-address.ts'
import type { TransportReason } from '../../../src/client/transport/transport.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { Failure, type FailureName, failures, toEnvelope } from '../../../src/contract/errors/failures.ts'
import { keys } from '../../../src/contract/resources/keys.ts'
import { messaging } from '../../../src/contract/resources/messaging.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { tools } from '../../../src/contract/resources/tools.ts'
import { answer, lost } from '../../support/scripted-client.ts'

const base = 'https://platform.test'
const read = (endpoint: Endpoint, status: number, body: unknown, headers: Record<string, string> = {}, more = {}) =>
  failureFromResponse(endpoint, answer(status, body, headers), { base, now: 0, ...more })

describe('an error response of the platform', () => {
  test.each([
    [
      { message: 'Validation failed', errors: { name: ['Too long.', 'Taken.'], 'headers.0.value': ['Required.'] } },
      422,
      {
        message: 'Validation failed',
        code: 'invalid',
        exit: 'rejected',
        details: [
          { path: 'name', message: 'Too long.' },
          { path: 'name', message: 'Taken.' },
          { path: 'headers.0.value', message: 'Required.' },
        ],
      },
    ],
    [{ message: 'Tool not found' }, 404, { message: 'Tool not found', code: 'not_found', exit: 'not_found' }],
    [
      { success: false, error: 'Sender not found', error_code: 'SENDER_NOT_FOUND' },
      404,
      { message: 'Sender not found', code: 'SENDER_NOT_FOUND', exit: 'not_found' },
    ],
    [
      { error: 'Phone number not found.' },
      404,
      { message: 'Phone number not found.', code: 'not_found', exit: 'not_found' },
    ],
    [
      { status: false, error: 'Conversation is closed' },
      400,
      { message: 'Conversation is closed', code: 'http_400', exit: 'rejected' },
    ],
    [
      { message: 'Nothing to restore.', error: 'no_such_version' },
      422,
      { message: 'Nothing to restore.', code: 'no_such_version', exit: 'rejected' },
    ],
  ])('is read from the envelope %j', (body, status, expected) => {
    expect(read(tools.update, status, body)).toMatchObject({ name: 'ClientFailure', status, sent: true, ...expected })
  })

  test.each([
    ['a nested error object', { error: { message: 'No.', code: 'gone' } }, { message: 'No.', code: 'gone' }],
    [
      'errors of one text each',
      { message: 'No.', errors: { name: 'Bad.' } },
      { details: [{ path: 'name', message: 'Bad.' }] },
    ],
    [
      'errors as a list',
      { message: 'No.', errors: [{ field: 'name', message: 'Bad.' }, 'Odd.'] },
      {
        details: [
          { path: 'name', message: 'Bad.' },
          { path: '', message: 'Odd.' },
        ],
      },
    ],
    ['errors without a message', { errors: { name: ['Bad.'] } }, { message: 'Bad.' }],
    [
      'a code beside the words',
      { error: 'rate_limited', message: 'Slow down.' },
      { message: 'Slow down.', code: 'rate_limited' },
    ],
  ])('is understood as %s, too', (_, body, expected) => {
    expect(read(tools.update, 422, body)).toMatchObject({ exit: 'rejected', ...expected })
  })

  test('has the meaning of the catalogue rather than of its status', () => {
    expect(read(numbers.buy, 400, { error: 'This phone number is already in use.' })).toMatchObject({
      exit: 'conflict',
      code: 'in_use',
      hint: 'Search again: parley numbers search.',
    })
    expect(read(numbers.buy, 422, { error: 'payment failed. please update your payment method' })).toMatchObject({
      exit: 'payment',
      code: 'payment_failed',
    })
    expect(read(keys.list, 403, { message: 'Unauthenticated.' })).toMatchObject({
      exit: 'auth',
      code: 'unauthenticated',
      hint: expect.stringContaining('PARLEY_API_KEY'),
    })
  })

  // What waits was accepted (202), and is read as an answer.
  const refusals = (Object.keys(failures) as FailureName[]).filter((it) => it !== 'contacts.waiting')
  test.each(refusals)('%s keeps its exit code over the wire', (name) => {
    const kind = failures[name]
    const endpoint: Endpoint = { ...keys.list, errors: name.includes('.') ? [name] : [] }
    expect(read(endpoint, kind.status, toEnvelope(new Failure(name)))).toMatchObject({
      exit: kind.exit,
      message: kind.text,
      status: kind.status,
    })
  })

  test('is recognized by its code if message and status differ', () => {
    for (const name of Object.keys(failures) as FailureName[]) {
      const kind = failures[name]
      if (kind.envelope !== 'messaging' && kind.envelope !== 'automation') continue
      expect([
        name,
        read({ ...keys.list, errors: [name] }, 418, toEnvelope(new Failure(name, { text: 'In other words.' }))).exit,
      ]).toEqual([name, kind.exit])
    }
  })

  test.each([
    [401, 'auth'],
    [403, 'auth'],
    [404, 'not_found'],
    [409, 'conflict'],
    [412, 'conflict'],
    [400, 'rejected'],
    [405, 'rejected'],
    [413, 'rejected'],
    [415, 'rejected'],
    [422, 'rejected'],
    [418, 'rejected'],
    [402, 'payment'],
    [429, 'rate_limited'],
    [500, 'platform'],
    [503, 'platform'],
    [302, 'platform'],
  ])('with an unknown code is classified by its status: %i is %s', (status, exit) => {
    expect(read(tools.update, status, { message: 'Something new happened' })).toMatchObject({
      exit,
      status,
      code: `http_${status}`,
      message: 'Something new happened',
    })
  })

  test('carries the request id and the time to wait', () => {
    expect(
      read(keys.list, 429, { message: 'Too Many Attempts.' }, { 'retry-after': '9' }, { requestId: 'r-1' }),
    ).toMatchObject({
      requestId: 'r-1',
      retryAfter: 9,
      exit: 'rate_limited',
    })
  })

  test('that is an HTML page is reported with status, type and first words, without control characters', () => {
    expect(read(keys.list, 502, '<html><style>a{}</style><body><h1>Bad \u001b[31mgateway</h1></body>').message).toBe(
      'https://platform.test returned 502 with text/html instead of JSON: "Bad [31mgateway"',
    )
    expect(read(keys.list, 500, `oops ${'x'.repeat(500)}`).message.length).toBeLessThan(160)
  })

  test('that is a redirect names its target', () => {
    expect(read(keys.list, 301, '', { location: 'https://other.test/' }).hint).toContain('https://other.test/')
  })

  test('because /api was written twice is explained', () => {
    expect(read(keys.list, 404, '<title>Not Found</title>', {}, { base: 'https://platform.test/api' }).hint).toContain(
      'Remove /api from the base URL',
    )
  })
})

describe('a billable operation', () => {
  const spent = (status: number, body: unknown, more = {}) => read(numbers.buy, status, body, {}, more)

  test.each([
    ['any 5xx with words of its own', 500, { message: 'Server Error' }],
    ['a gateway’s page', 502, '<h1>Bad gateway</h1>'],
    ['a platform that is closed', 503, { message: 'Service Unavailable' }],
    ['a refusal that is not one of the shapes', 400, '<h1>Blocked</h1>'],
    ['a firewall’s page', 403, '<h1>Denied</h1>'],
    ['a request given up on', 408, { message: 'Request Timeout' }],
    ['the same key still at work', 409, { message: 'A request with this Idempotency-Key is still in progress.' }],
    ['a success that is not JSON', 200, '<h1>OK</h1>'],
    ['a redirect', 302, ''],
    ['a limit of something in between', 429, ''],
    ['a limit of a platform without idempotency', 429, { message: 'Too Many Attempts.', retry_after: 5 }],
  ])('answered by %s has an unknown outcome', (_, status, body) => {
    expect(spent(status, body)).toMatchObject({
      exit: 'unknown',
      code: 'outcome_unknown',
      status,
      message: expect.stringMatching(/[.!?:"] The outcome of the request is unknown\.$/),
      next: ['parley ops list', 'parley ops reconcile'],
    })
  })

  test('of a message, answered by a rate limit with a time to wait, was refused', () => {
    const answer = { message: 'Too Many Attempts.', retry_after: 5 }
    expect(read(messaging.send, 429, answer)).toMatchObject({ exit: 'rate_limited', retryAfter: 5 })
    expect(read(messaging.send, 429, { message: 'Too Many Attempts.' })).toMatchObject({ exit: 'unknown' })
    expect(read(numbers.buy, 429, answer, {}, { isIdempotent: true })).toMatchObject({ exit: 'rate_limited' })
  })

  test('answered without its record has an unknown outcome', () => {
    expect(spent(201, { message: 'ok' }, { missing: '"data"' })).toMatchObject({ exit: 'unknown', status: 201 })
  })

  test.each([
    [500, { error: 'Failed to purchase phone number from provider. Please contact support.' }, 'platform'],
    [402, { error: 'No payment method found. Please add a payment method to your account.' }, 'payment'],
    [
      422,
      {
        message: 'The phone number field is required.',
        errors: { phone_number: ['The phone number field is required.'] },
      },
      'rejected',
    ],
    [400, { error: 'A new reason to refuse.' }, 'rejected'],
    [401, '<h1>Unauthorized</h1>', 'auth'],
    [404, '<h1>Not here</h1>', 'not_found'],
  ])('answered %i %j was refused', (status, body, exit) => {
    expect(spent(status, body)).toMatchObject({ exit, status })
  })
})

describe('a missing response', () => {
  const reasons: TransportReason[] = ['refused', 'dns', 'tls', 'timeout', 'reset', 'truncated', 'proxy', 'other']
  const context = { base, timeoutMs: 30_000, requestId: 'r-1' }

  test.each(reasons)('by "%s" exits with 9 and names the platform and a fix', (reason) => {
    const failure = failureFromTransport(lost(reason, false), keys.list, context)
    expect(failure).toMatchObject({
      exit: 'connection',
      code: `connection_${reason}`,
      sent: false,
      message: expect.stringContaining(base),
    })
    expect(failure.hint?.length).toBeGreaterThan(20)
  })

  test('of the local platform is a whole sentence', () => {
    const local = { ...context, base: localPlatform }
    expect(failureFromTransport(lost('timeout', false), keys.list, local).message).toBe(
      'The local platform did not respond within 30 s.',
    )
  })

  test('has the id of the request if the platform may have received it', () => {
    expect(failureFromTransport(lost('timeout', true), keys.list, context).requestId).toBe('r-1')
    expect(failureFromTransport(lost('refused', false), keys.list, context).requestId).toBeUndefined()
  })

  test('has a hint for a platform that is not running, slow, or has its own certificate', () => {
    const hint = (reason: TransportReason, message = ''): string | undefined =>
      failureFromTransport(lost(reason, false, message), keys.list, context).hint
    expect(hint('refused')).toMatch(/parley server start.*--base-url/)
    expect(hint('tls', 'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)')).toContain('NODE_EXTRA_CA_CERTS')
    expect(hint('tls', 'certificate has expired (CERT_HAS_EXPIRED)')).toContain('has expired')
    expect(hint('timeout')).toContain('--request-timeout')
    expect(hint('proxy')).toContain('NO_PROXY')
  })

  test('to a billable operation that may have arrived exits with 12, otherwise with 9', () => {
    expect(failureFromTransport(lost('reset', true), numbers.buy, context)).toMatchObject({
      exit: 'unknown',
      code: 'outcome_unknown',
      sent: true,
      next: expect.arrayContaining(['parley ops reconcile']),
    })
    expect(failureFromTransport(lost('refused', false), numbers.buy, context)).toMatchObject({
      exit: 'connection',
      sent: false,
    })
  })

  test('to another write warns that it may have been carried out', () => {
    expect(failureFromTransport(lost('reset', true), tools.update, context)).toMatchObject({
      exit: 'connection',
      hint: expect.stringContaining('may have succeeded'),
    })
    expect(failureFromTransport(lost('reset', true), keys.list, context).hint).not.toContain('may have succeeded')
  })

  test('because of an interruption exits with 130, and a billable operation in flight has an unknown outcome', () => {
    expect(failureFromTransport(lost('aborted', true), keys.list, context)).toMatchObject({
      exit: 'interrupted',
      message: 'Interrupted.',
    })
    expect(failureFromTransport(lost('aborted', true), numbers.buy, context)).toMatchObject({
      exit: 'unknown',
      hint: expect.stringContaining('parley ops reconcile'),
    })
    expect(failureFromTransport(lost('aborted', false), numbers.buy, context).next).toBeUndefined()
  })
})

test.each([
  ['45', 'Wait 45 s, then try again.'],
  ['720', 'Wait 12 min, then try again.'],
  ['7500', 'Wait 2 h 5 min, then try again.'],
])('a platform that asks to wait %s seconds: the hint has the unit of people', (seconds, hint) => {
  const failure = read(keys.list, 429, { message: 'Too Many Attempts.' }, { 'retry-after': seconds })
  expect(failure).toMatchObject({ exit: 'rate_limited', hint, retryAfter: Number(seconds) })
})

test.each([
  [401, true],
  [429, true],
  [404, false],
  [502, false],
])('status %d of an outcome query is an answer to it: %s', (status, isAnswer) => {
  expect(isOutcomeAnswer(keys.list, { status, headers: {}, body: '' }, undefined)).toBe(isAnswer)
})
