import { expect, test } from 'vitest'
import { buildToolRequest } from '../../../../src/engine/tools/tool-request.ts'

const build = (endpoint: string, args: object, variables = {}): string =>
  buildToolRequest(
    { endpoint, method: 'GET', body_format: 'json', timeout: 5, headers: '[]', static_fields: '[]' },
    args as never,
    variables,
  ).url

test.each([
  ['https://crm.example/v1/patients/{p}/notes', { p: '..' }],
  ['https://crm.example/v1/patients/{p}/notes', { p: '.' }],
  ['https://crm.example/v1/.{p}/notes', { p: '.' }],
  ['https://crm.example/v1/{p}', { p: '..' }],
])('an argument cannot change the path of %s', (endpoint, args) => {
  expect(() => build(endpoint, args)).toThrow('A parameter must not be "." or ".."')
})

test('a variable cannot change the path', () => {
  expect(() => build('https://crm.example/v1/{{who}}/notes', {}, { who: '..' })).toThrow('must not be "." or ".."')
})

test.each([
  ['https://crm.example/v1/{p}/notes', { p: '../x' }, 'https://crm.example/v1/..%2Fx/notes'],
  ['https://crm.example/v1/{p}/notes', { p: '%2e%2e' }, 'https://crm.example/v1/%252e%252e/notes'],
  ['https://crm.example/v1/{p}/notes', { p: '...' }, 'https://crm.example/v1/.../notes'],
  ['https://crm.example/v1/../{p}?at={q}', { p: 'a', q: '..' }, 'https://crm.example/a?at=..'],
])('other arguments are encoded: %s', (endpoint, args, url) => {
  expect(build(endpoint, args)).toBe(url)
})
