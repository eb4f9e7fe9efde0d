import { expect, test } from 'vitest'
import { applyDrift } from '../../../../src/platform/server/middleware/inject-faults.ts'

const answer = {
  data: [
    { id: 1, name: 'a', on: true, tags: ['x'] },
    { id: 2, name: 'b', on: false, tags: [] },
  ],
  total: 2,
}
const bodyAfter = (...lines: string[]): unknown =>
  JSON.parse(applyDrift({ status: 200, body: JSON.stringify(answer) }, lines).body)
const first = (...lines: string[]): unknown => (bodyAfter(...lines) as typeof answer).data[0]

test.each([
  ['remove data.*.name', { id: 1, on: true, tags: ['x'] }],
  ['rename data.*.name title', { id: 1, title: 'a', on: true, tags: ['x'] }],
  ['add data.* extra', { id: 1, name: 'a', on: true, tags: ['x'], extra: 'unexpected' }],
  ['null data.*.name', { id: 1, name: null, on: true, tags: ['x'] }],
  ['text data.*.id', { id: '1', name: 'a', on: true, tags: ['x'] }],
  ['text data.*.tags', { id: 1, name: 'a', on: true, tags: '["x"]' }],
  ['number data.*.name', { id: 1, name: 0, on: true, tags: ['x'] }],
  ['flag data.*.on', { id: 1, name: 'a', on: 1, tags: ['x'] }],
  ['list data.*.name', { id: 1, name: ['a'], on: true, tags: ['x'] }],
  ['wrap data.*.id value', { id: { value: 1 }, name: 'a', on: true, tags: ['x'] }],
  ['unwrap data.*.tags', { id: 1, name: 'a', on: true, tags: 'x' }],
])('a response after "%s" differs only there', (line, item) => {
  expect(first(line)).toEqual(item)
  expect(bodyAfter(line)).toMatchObject({ total: 2 })
})

test('the whole response can be wrapped, unwrapped and put in a list', () => {
  expect(bodyAfter('wrap . result')).toEqual({ result: answer })
  expect(bodyAfter('unwrap .')).toEqual(answer.data)
  expect(bodyAfter('list .')).toEqual([answer])
  expect(bodyAfter('null .')).toBeNull()
})

test('a path can name one item, several changes are applied in order, and an unknown path changes nothing', () => {
  expect(first('null data.1.name')).toEqual(answer.data[0])
  expect(first('rename data.0.id number', 'text data.0.number')).toEqual({
    number: '1',
    name: 'a',
    on: true,
    tags: ['x'],
  })
  expect(
    bodyAfter('remove data.*.nope.deeper', 'null nope', 'text data.7.id', 'null total.x', 'remove __proto__.x'),
  ).toEqual(answer)
})

test('the status changes and the body stays', () => {
  expect(applyDrift({ status: 200, body: '{"a":1}' }, ['status 201'])).toEqual({ status: 201, body: '{"a":1}' })
})
