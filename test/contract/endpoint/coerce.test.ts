import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  allowedValues,
  coerce,
  coerceDeep,
  defaultOf,
  isNullable,
  isRequired,
  unwrap,
} from '../../../src/contract/endpoint/coerce.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { tools } from '../../../src/contract/resources/tools.ts'

describe('text is converted to the type of the schema', () => {
  test.each([
    ['an integer', z.int(), '42', 42],
    ['a negative integer', z.int(), '-1', -1],
    ['not a decimal for an integer', z.int(), '4.2', '4.2'],
    ['with all digits of an id beyond 2^53', z.int(), '9007199254740993', 9007199254740993n],
    ['a number', z.number(), '0.70', 0.7],
    ['not hexadecimal', z.number(), '0x10', '0x10'],
    ['not nothing', z.number(), '', ''],
    ['true', z.boolean(), 'true', true],
    ['1 as true', z.boolean(), '1', true],
    ['0 as false', z.boolean(), '0', false],
    ['not yes', z.boolean(), 'yes', 'yes'],
    ['a phone number stays text', z.string(), '+15551234567', '+15551234567'],
    ['a word stays text', z.enum(['a']), 'b', 'b'],
    ['a list', z.array(z.int()), '[1,2]', [1, 2]],
    ['not an object where a list is wanted', z.array(z.int()), '{}', '{}'],
    ['an object', z.record(z.string(), z.string()), '{"a":"b"}', { a: 'b' }],
    ['not broken JSON', z.object({}), '{', '{'],
    ['through optional, nullable and default', z.int().nullable().optional().default(3), '7', 7],
  ])('%s', (_name, schema, text, expected) => {
    expect(coerce(schema, text)).toEqual(expected)
  })
})

describe('a tree of texts is converted to the types of the schema', () => {
  test('numbers, flags and lists of a tool read from YAML', () => {
    const tree = {
      name: 'x',
      timeout: '15',
      headers: [{ name: 'a', value: '1' }],
      schema: [{ name: 'p', type: 'string', description: 'abc', required: 'true' }],
    }
    expect(coerceDeep(tools.create.body, tree)).toEqual({
      ...tree,
      timeout: 15,
      schema: [{ name: 'p', type: 'string', description: 'abc', required: true }],
    })
  })

  test('the word null becomes null only if null is allowed', () => {
    const schema = z.object({ a: z.string().nullable(), b: z.string(), c: z.int().nullable().optional() })
    expect(coerceDeep(schema, { a: '~', b: 'null', c: '' })).toEqual({ a: null, b: 'null', c: null })
    expect(coerceDeep(numbers.update.body, { nickname: 'null' })).toEqual({ nickname: null })
    expect(coerceDeep(numbers.update.body, { nickname: '' })).toEqual({ nickname: '' })
  })

  test('without a type, plain numbers and booleans are converted and phone numbers stay text', () => {
    const tree = {
      hour: '9',
      half: '0.5',
      weekends: 'false',
      none: 'null',
      phone: '+15551234567',
      padded: '0044',
      list: ['1', { deep: 'true' }],
    }
    expect(coerceDeep(z.object({ input: z.unknown() }), { input: tree })).toEqual({
      input: {
        hour: 9,
        half: 0.5,
        weekends: false,
        none: null,
        phone: '+15551234567',
        padded: '0044',
        list: [1, { deep: true }],
      },
    })
  })

  test('a member of a union is chosen by its type', () => {
    const Tool = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a'), n: z.int() }),
      z.object({ type: z.literal('b'), n: z.string() }),
    ])
    expect(
      coerceDeep(z.array(Tool), [
        { type: 'a', n: '5' },
        { type: 'b', n: '5' },
      ]),
    ).toEqual([
      { type: 'a', n: 5 },
      { type: 'b', n: '5' },
    ])
  })
})

describe('the description of a schema', () => {
  test('has its kind under every wrapper', () => {
    expect(unwrap(z.int().min(1).nullable().optional()).kind).toBe('integer')
    expect(unwrap(z.number().int()).kind).toBe('integer')
    expect(unwrap(z.number().default(1)).kind).toBe('number')
    expect(
      unwrap(
        z
          .string()
          .optional()
          .transform((it) => it ?? ''),
      ).kind,
    ).toBe('string')
    expect(unwrap(z.preprocess((it) => it, z.boolean())).kind).toBe('boolean')
    expect(unwrap(z.lazy(() => z.array(z.string()))).kind).toBe('array')
    expect(unwrap(z.unknown()).kind).toBe('unknown')
  })

  test('has required, nullable, default and allowed values', () => {
    const { name, timeout, method } = tools.create.body.shape
    expect([isRequired(name), isRequired(timeout), isRequired(tools.update.body.shape.name)]).toEqual([
      true,
      false,
      false,
    ])
    expect([isNullable(name), isNullable(numbers.update.body.shape.nickname)]).toEqual([false, true])
    expect([defaultOf(timeout), defaultOf(name), defaultOf(tools.create.body.shape.headers)]).toEqual([
      10,
      undefined,
      [],
    ])
    expect(allowedValues(method)).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    expect(allowedValues(z.literal('a').optional())).toEqual(['a'])
    expect(allowedValues(z.union([z.literal('a'), z.enum(['b'])]))).toEqual(['a', 'b'])
    expect(allowedValues(name)).toBeUndefined()
  })
})
