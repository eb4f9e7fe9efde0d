import { expect, test } from 'vitest'
import { suggestForAction } from '../../../src/engine/pieces/piece-alternatives.ts'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (action: string, input: object): Promise<unknown> =>
  outputOf(piece('@activepieces/piece-text-helper', action, input))

test.each<[string, object, unknown]>([
  ['concat', { texts: ['a', 1, 'b'], seperator: '-' }, 'a-1-b'],
  ['concat', { texts: '["a", "b"]' }, 'ab'],
  ['replace', { text: 'a1b22', searchValue: '\\d+', replaceValue: '#' }, 'a#b#'],
  ['replace', { text: 'a1b22', searchValue: '(\\d)', replaceValue: '<$1>', replaceOnlyFirst: true }, 'a<1>b22'],
  ['replace', { text: 'a b c', searchValue: ' ' }, 'abc'],
  ['split', { text: 'a, b', delimiter: ', ' }, ['a', 'b']],
  ['find', { text: 'order 42', expression: '(\\d)(\\d)' }, ['42', '4', '2']],
  ['find', { text: 'order', expression: '\\d' }, null],
  ['defaultValue', { value: '', defaultString: 'none' }, 'none'],
  ['defaultValue', { value: [], defaultString: 'none' }, 'none'],
  ['defaultValue', { value: 0, defaultString: 'none' }, 0],
])('text-helper %s of %j is %j', async (action, input, expected) => {
  expect(await run(action, input)).toEqual(expected)
})

test.each<[string, object, string]>([
  ['concat', {}, 'texts is required.'],
  ['concat', { texts: 'a' }, 'texts must be a list.'],
  ['replace', { text: 'a', searchValue: '(' }, 'searchValue is not a valid regular expression'],
  ['find', { text: `${'a'.repeat(40)}!`, expression: '^(a+)+$' }, 'expression took longer than 250 ms'],
  ['split', { text: 'a' }, 'delimiter is required.'],
  ['defaultValue', { value: '' }, 'defaultString is required.'],
])('text-helper %s refuses %j', async (action, input, message) => {
  await expect(run(action, input)).rejects.toThrow(message)
})

test('a piece of another publisher is refused, and the error names the available one', () => {
  expect(suggestForAction('@custom/piece-text-helper', 'split')).toBe('Use @engine/piece-text-helper split instead.')
})

test('a password has the length that the step gives', async () => {
  const password = await outputOf(piece('@activepieces/piece-crypto', 'generate-password', { length: '24' }))
  expect(password).toMatch(/^[\w!@#$%^&*()+=-]{24}$/)
})

test('a UUID differs each time', async () => {
  const uuid = () => outputOf(piece('@activepieces/piece-crypto', 'generate-uuid', {}))
  expect(await uuid()).toEqual({ uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(await uuid()).not.toEqual(await uuid())
})
