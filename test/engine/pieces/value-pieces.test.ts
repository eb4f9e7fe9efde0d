import { expect, test } from 'vitest'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (name: string, action: string, input: object): Promise<unknown> =>
  outputOf(piece(`@activepieces/piece-${name}`, action, input))

test.each<[string, string, object, unknown]>([
  ['data-mapper', 'advanced_mapping', { mapping: { a: 1, b: ['x'] } }, { a: 1, b: ['x'] }],
  ['data-mapper', 'advanced_mapping', { mapping: '{"a": 1}' }, { a: 1 }],
  ['json', 'convert_json_to_text', { json: { a: [1, null] } }, '{"a":[1,null]}'],
  ['json', 'convert_json_to_text', { json: '{ "a": 1 }' }, '{"a":1}'],
  ['json', 'convert_text_to_json', { text: '{"a": [1]}' }, { a: [1] }],
  ['json', 'convert_text_to_json', { text: { a: 1 } }, { a: 1 }],
  ['math-helper', 'addition_math', { first_number: '2', second_number: 3 }, 5],
  ['math-helper', 'subtraction_math', { first_number: 2, second_number: 10 }, 8],
  ['math-helper', 'multiplication_math', { first_number: 2, second_number: 1.5 }, 3],
  ['math-helper', 'division_math', { first_number: 9, second_number: 2 }, 4.5],
  ['math-helper', 'modulo_math', { first_number: 9, second_number: 2 }, 1],
  ['math-helper', 'generateRandom_math', { first_number: 4, second_number: 4 }, 4],
  ['crypto', 'hash-text', { method: 'md5', text: 'a' }, '0cc175b9c0f1b6a831c399e269772661'],
  [
    'crypto',
    'hash-text',
    { method: 'sha256', text: 'é' },
    '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
  ],
  ['crypto', 'base64-encode', { text: 'Zoë' }, 'Wm/Dqw=='],
  ['crypto', 'base64-decode', { text: 'Wm/Dqw==' }, 'Zoë'],
  [
    'crypto',
    'hmac-signature',
    { auth: '6b6579', encoding: 'hex', method: 'sha256', text: 'The quick brown fox jumps over the lazy dog' },
    'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
  ],
  ['json', 'merge_json', { jsonArray: [{ a: 1, b: 'x' }, null, { a: 2 }] }, { a: 2, b: 'x' }],
  [
    'json',
    'merge_json',
    {
      jsonArray: '[{"a": 3, "b": "x", "c": [1]}, {"a": 10, "b": "y", "c": 2}, {"b": "y", "d": null}]',
      defaultStrategy: 'first',
      fieldStrategies: [
        { field: 'a', strategy: 'max' },
        { field: 'b', strategy: 'most_frequent' },
        { field: 'c', strategy: 'concat' },
      ],
    },
    { a: 10, b: 'y', c: [1, 2], d: null },
  ],
])('%s %s of %j is %j', async (name, action, input, expected) => {
  expect(await run(name, action, input)).toEqual(expected)
})

test.each<[string, string, object, string]>([
  ['data-mapper', 'advanced_mapping', {}, 'mapping is required.'],
  ['data-mapper', 'advanced_mapping', { mapping: 'a: b' }, 'mapping is not valid JSON'],
  ['json', 'convert_text_to_json', { text: '{' }, 'text is not valid JSON'],
  ['json', 'convert_json_to_text', { json: '' }, 'json is required.'],
  ['math-helper', 'addition_math', { first_number: 'two', second_number: 1 }, 'first_number must be a number.'],
  ['math-helper', 'division_math', { first_number: 1, second_number: 0 }, 'second_number must not be 0.'],
  ['crypto', 'hash-text', { method: 'crc32', text: 'a' }, 'method must be one of md5, sha256, sha512, sha3-512.'],
  ['crypto', 'hash-text', { method: 'md5', text: '' }, 'text is required.'],
  ['crypto', 'hmac-signature', { method: 'sha256', text: 'a' }, 'auth is required.'],
  ['crypto', 'generate-password', { length: 300 }, 'length must be at most 256.'],
  ['json', 'merge_json', { jsonArray: [{ a: 1 }, 2] }, 'jsonArray must be a list of objects.'],
  ['json', 'merge_json', { jsonArray: [], defaultStrategy: 'sum' }, 'defaultStrategy must be one of first, last,'],
])('%s %s refuses %j', async (name, action, input, message) => {
  await expect(run(name, action, input)).rejects.toThrow(message)
})
