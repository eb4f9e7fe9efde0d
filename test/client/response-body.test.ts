import { expect, test } from 'vitest'
import { readBody } from '../../src/client/response-body.ts'

test.each([
  ['application/json', '{"data": [1, 2', 'cut'],
  ['application/problem+json', '["a"', 'cut'],
  ['application/json', '"half a te', 'cut'],
  // A proxy may give its own page the type of the answer that it replaces, and text may begin like JSON.
  ['application/json', '<html><body>Bad Gateway</body></html>', 'not_json'],
  ['text/plain', '[error] upstream closed the connection', 'not_json'],
  ['text/html', '{% page not rendered %}', 'not_json'],
  ['text/html', '<html></html>', 'not_json'],
  ['application/json', ' \n', 'empty'],
])('a body of type %s that is %j is %s', (type, body, fault) => {
  expect(readBody({ status: 200, headers: { 'content-type': type }, body })).toEqual({ fault })
})

test('a body without a type is read as JSON where it is JSON', () => {
  expect(readBody({ status: 200, headers: {}, body: '\uFEFF {"id": 1}\n' })).toEqual({ json: { id: 1 } })
  expect(readBody({ status: 200, headers: {}, body: '{"id": ' })).toEqual({ fault: 'not_json' })
})
