import { describe, expect, test } from 'vitest'
import { buildRequest } from '../../../src/client/requests/build-request.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { automate } from '../../../src/contract/resources/automate.ts'
import { keys } from '../../../src/contract/resources/keys.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { tools } from '../../../src/contract/resources/tools.ts'

test('the flat input is split into path, query and body', () => {
  expect(buildRequest(tools.update, { id: 7, name: 'look_up', headers: [] })).toEqual({
    method: 'PUT',
    url: '/api/user/tools/7',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: '{"name":"look_up","headers":[]}',
  })
  expect(buildRequest(numbers.search, { country_code: 'US', contains: '415' })).toEqual({
    method: 'GET',
    url: '/api/user/phone-numbers/search?country_code=US&contains=415',
    headers: { accept: 'application/json' },
  })
})

test('only given values are sent: null is sent, undefined is not', () => {
  expect(buildRequest(numbers.update, { id: 3, nickname: null }).body).toBe('{"nickname":null}')
  expect(buildRequest(numbers.update, { id: 3, nickname: undefined }).body).toBe('{}')
  expect(buildRequest(numbers.search, { country_code: undefined }).url).toBe('/api/user/phone-numbers/search')
  expect(buildRequest(keys.delete, { id: 3 })).not.toHaveProperty('body')
})

test('an unknown field is sent in the same place as the others', () => {
  expect(buildRequest(tools.update, { id: 7, region: 'eu' }).body).toBe('{"region":"eu"}')
  expect(buildRequest(numbers.search, { cursor: 'abc=' }).url).toBe('/api/user/phone-numbers/search?cursor=abc%3D')
})

test('a plus sign, a slash and a space are preserved in paths and queries', () => {
  const endpoint: Endpoint = { ...numbers.release, path: '/api/user/phone-numbers/{id}' }
  expect(buildRequest(endpoint, { id: '+14155550123' }).url).toBe('/api/user/phone-numbers/%2B14155550123')
  expect(buildRequest(endpoint, { id: 'a/b c' }).url).toBe('/api/user/phone-numbers/a%2Fb%20c')
  expect(buildRequest(numbers.search, { contains: '+1 4' }).url).toBe(
    '/api/user/phone-numbers/search?contains=%2B1%204',
  )
})

test.each(['.', '..', '', undefined, null, {}])('a path parameter like %j is refused before any request', (id) => {
  expect(() => buildRequest(keys.delete, { id })).toThrow(
    expect.objectContaining({ exit: 'usage', code: 'invalid_path' }),
  )
})

test('booleans in a query are written 1 and 0', () => {
  expect(buildRequest(numbers.search, { include_secrets: true, x: false }).url).toBe(
    '/api/user/phone-numbers/search?include_secrets=1&x=0',
  )
})

describe('a deployment with other paths', () => {
  test('gets its own paths and query names', () => {
    const routes = {
      'numbers.search': { path: '/api/v2/numbers/search', query: { contains: 'pattern' } },
      'numbers.release': { path: '/api/v2/numbers/{id}' },
    }
    expect(buildRequest(numbers.search, { contains: '415', country_code: 'US' }, { routes }).url).toBe(
      '/api/v2/numbers/search?pattern=415&country_code=US',
    )
    expect(buildRequest(numbers.release, { id: 9 }, { routes }).url).toBe('/api/v2/numbers/9')
    expect(buildRequest(numbers.list, {}, { routes }).url).toBe('/api/user/phone-numbers/all')
  })
})

test('a body that is nested too deeply is refused before anything is sent', () => {
  const flow = JSON.parse(`${'{"nextAction":'.repeat(100_000)}null${'}'.repeat(100_000)}`)
  expect(() => buildRequest(automate.create, { name: 'Deep', flow })).toThrow(
    expect.objectContaining({ exit: 'usage', code: 'too_deep' }),
  )
})
