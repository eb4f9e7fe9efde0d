import { describe, expect, test } from 'vitest'
import { createLog, type Exchange } from '../../../src/client/requests/log.ts'
import { redactBeginning, redactBody, redactHeaders, redactText } from '../../../src/contract/values/redact.ts'
import { answer, lost } from '../../support/scripted-client.ts'

const key = '12|Zk3vQ9xTq7LmNwP2rS8yB4cD6eF1gH5jK0aU9iO3'
const exchange: Exchange = {
  base: 'https://platform.test',
  request: {
    method: 'POST',
    url: '/api/user/tools?api_key=abc123&page=2',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'r-1' },
    body: JSON.stringify({ name: 'look_up', sip_password: 'hunter2' }),
  },
  response: answer(201, { api_key: { name: 'ci', token: key }, note: `key ${key} made` }),
  ms: 34.4,
  attempt: 1,
  secrets: [key],
}

function logged(level: 'verbose' | 'debug', exchange: Exchange): string[] {
  const lines: string[] = []
  createLog(level, (line) => lines.push(line)).exchange(exchange)
  return lines
}

describe('the log', () => {
  test('has one line per request: method, path, status, time, attempt', () => {
    expect(logged('verbose', exchange)).toEqual(['POST /api/user/tools?api_key=[hidden]&page=2 201 34 ms'])
    const { response: _, ...rest } = exchange
    expect(logged('verbose', { ...rest, error: lost('reset', true), attempt: 2 })).toEqual([
      'POST /api/user/tools?api_key=[hidden]&page=2 reset 34 ms (attempt 2)',
    ])
  })

  test('has everything with --debug, except secrets', () => {
    expect(logged('debug', exchange)).toEqual([
      '> POST https://platform.test/api/user/tools?api_key=[hidden]&page=2',
      '> authorization: Bearer …9iO3'.replace('9iO3', key.slice(-4)),
      '> content-type: application/json',
      '> x-request-id: r-1',
      '> {"name":"look_up","sip_password":"[hidden]"}',
      '< 201',
      '< content-type: application/json',
      '< {"api_key":{"name":"ci","token":"[hidden]"},"note":"key [hidden] made"}',
      'POST /api/user/tools?api_key=[hidden]&page=2 201 34 ms',
    ])
    expect(logged('debug', exchange).join('\n')).not.toContain('Zk3vQ9')
  })

  test('does not let a server control the terminal', () => {
    const shown = logged('debug', {
      ...exchange,
      response: { status: 200, headers: { 'x-odd': '\u001b]0;title\u0007' }, body: '\u001b[31mred\r\nline\u009b2J' },
    }).join('\n')
    expect(shown).toContain('red\nline')
    for (const control of ['\u0007', '\u001b', '\u009b', '\r']) expect(shown).not.toContain(control)
  })

  test('hides secrets in the fields of a form', () => {
    expect(redactBody('password=hunter2&user=ada')).toBe('password=[hidden]&user=ada')
  })

  test('shows notes only with --debug', () => {
    const lines: string[] = []
    createLog('verbose', (line) => lines.push(line)).note('a')
    createLog('debug', (line) => lines.push(line)).note(`b Bearer ${key}`)
    expect(lines).toEqual(['note: b Bearer [hidden]'])
  })
})

describe('a secret is hidden', () => {
  test.each([
    [
      'by its name',
      {
        password: 'p',
        apiKey: 'p',
        'api-key': 'p',
        access_token: 'p',
        client_secret: 'p',
        auth_value: 'p',
        auth_header_value: 'p',
        refreshToken: 'p',
      },
    ],
    ['as a number', { pin: 1234567 }],
    ['deep inside', { a: [{ b: { token: 'p-secret' } }] }],
    ['as the value of a pair', { static_fields: [{ key: 'api_key', value: 'p-secret' }] }],
    ['as a header of a tool, whatever it is called', { headers: [{ name: 'X-Vault', value: 'p-secret' }] }],
    ['as a header in an object', { headers: { 'X-Vault': 'p-secret', Authorization: 'p-secret' } }],
    ['as a bearer token in a text', { note: 'use Bearer p-secret-p-secret' }],
    ['as a key of the platform in a text', { note: `it is 7|${'p'.repeat(40)}` }],
    ['as a JSON web token', { note: 'eyJhbGciOiJIUzI1.eyJzdWIiOiJwcA.pppppp' }],
    ['in the address of a database', { url: 'postgres://me:pppp@db.test/x' }],
    ['in the query of an address', { url: 'https://x.test/?token=pppp&a=1' }],
  ])('%s', (_, body) => {
    const shown = redactBody(JSON.stringify(body))
    expect(shown).toContain('[hidden]')
    expect(shown).not.toMatch(/"p"|p-secret|pppp|1234567/)
  })

  test('also in truncated JSON and in text that is not JSON', () => {
    expect(redactBody('{"api_key":{"token":"p-secret","name":"ci"},"password":"p-sec')).toBe(
      '{"api_key":{"token":"[hidden]","name":"ci"},"password":"[hidden]"',
    )
    expect(redactBody('Authorization: Bearer p-secret-p')).toBe('Authorization: Bearer [hidden]')
  })

  test('wherever the key in use occurs, encoded or not', () => {
    expect(redactText(`a ${key} b ${encodeURIComponent(key)} c`, [key])).toBe('a [hidden] b [hidden] c')
  })

  test('in headers, where only the end of a long bearer token is shown', () => {
    expect(
      redactHeaders({
        authorization: `Bearer ${key}`,
        cookie: 'a=b',
        'parley-control': 'ct',
        'x-api-key': 'k',
        accept: 'a',
        'proxy-authorization': 'Basic abc',
      }),
    ).toEqual({
      authorization: `Bearer …${key.slice(-4)}`,
      cookie: '[hidden]',
      'parley-control': '[hidden]',
      'x-api-key': '[hidden]',
      accept: 'a',
      'proxy-authorization': '[hidden]',
    })
    expect(redactHeaders({ authorization: 'Bearer short' }).authorization).toBe('[hidden]')
  })

  test('and other text is not', () => {
    const body = {
      id: 7,
      name: 'Key ring',
      api_keys: [{ id: 1, name: 'ci' }],
      include_secrets: true,
      tokens_used: 5,
      api_key_header: 'X-Key',
      headers: [{ name: 'Content-Type', value: 'text/plain' }],
      variables: { key: 'v' },
      phone_number: '+14155550123',
      url: 'https://x.test/?page=2',
    }
    expect(JSON.parse(redactBody(JSON.stringify(body)))).toEqual(body)
  })
})

test('the beginning of a long body has no secret, wherever it is cut', () => {
  const tools = Array.from({ length: 3 }, (_, n) => ({
    name: `tool_${n}, "quoted" [1]`,
    headers: [{ name: 'X-Clinic', value: `planted-${n}` }],
    cal_a_api_key: `planted-key-${n}`,
  }))
  const text = JSON.stringify({ data: tools })
  for (let end = 1; end <= text.length; end++) expect(redactBeginning(text.slice(0, end))).not.toContain('planted')
  expect(redactBeginning(text.slice(0, -10))).toContain('{"data":[{"name":"tool_0, \\"quoted\\" [1]"')
})
