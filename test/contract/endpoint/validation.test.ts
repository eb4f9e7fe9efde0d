import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { text, webAddress } from '../../../src/contract/endpoint/field-schemas.ts'
import { validate } from '../../../src/contract/endpoint/validation.ts'
import { tools } from '../../../src/contract/resources/tools.ts'

const errorsOf = (schema: z.ZodObject, raw: unknown, ignored?: Set<string>) => {
  const result = validate(schema, raw, ignored)
  return result.ok ? {} : result.errors
}
const firstOf = (schema: z.ZodType, value: unknown) =>
  errorsOf(z.object({ my_field: schema }), { my_field: value }).my_field?.[0]

describe('each error has its message', () => {
  test.each([
    ['a string', z.string(), 5, 'The my field field must be a string.'],
    ['an integer', z.int(), 'x', 'The my field field must be an integer.'],
    ['a whole number', z.int(), 1.5, 'The my field field must be an integer.'],
    ['a safe integer', z.int(), 1e300, 'The my field field must be an integer.'],
    ['a number', z.number(), '5', 'The my field field must be a number.'],
    ['a boolean', z.boolean(), 'yes', 'The my field field must be true or false.'],
    ['an array', z.array(z.string()), {}, 'The my field field must be an array.'],
    ['an object', z.record(z.string(), z.string()), 'x', 'The my field field must be an object.'],
    ['not too long', text(64), 'x'.repeat(65), 'The my field field must not be greater than 64 characters.'],
    ['not too short', text(255, 3), 'ab', 'The my field field must be at least 3 characters.'],
    ['within both bounds, below', z.int().min(1).max(30), 0, 'The my field field must be between 1 and 30.'],
    ['within both bounds, above', z.number().min(0.7).max(1.2), 1.3, 'The my field field must be between 0.7 and 1.2.'],
    ['at least', z.int().min(1), 0, 'The my field field must be at least 1.'],
    ['at most', z.int().max(9), 10, 'The my field field must not be greater than 9.'],
    ['one of', z.enum(['GET', 'PUT']), 'HEAD', 'The selected my field is invalid.'],
    ['an address', webAddress(2048), 'not one', 'The my field field must be a valid URL.'],
    ['a format', z.string().regex(/^a$/), 'b', 'The my field field format is invalid.'],
    ['enough items', z.array(z.string()).min(2), ['x'], 'The my field field must have at least 2 items.'],
    ['few enough items', z.array(z.string()).max(1), ['x', 'y'], 'The my field field must not have more than 1 items.'],
  ])('%s', (_name, schema, value, expected) => {
    expect(firstOf(schema, value)).toBe(expected)
  })

  test('a required field is missing, null or empty', () => {
    for (const raw of [{}, { phone_number: null }, { phone_number: '' }]) {
      expect(errorsOf(z.object({ phone_number: z.string() }), raw)).toEqual({
        phone_number: ['The phone number field is required.'],
      })
    }
  })

  test('null for a field that may be missing but not cleared names its type', () => {
    expect(firstOf(z.string().optional(), null)).toBe('The my field field must be a string.')
    expect(firstOf(z.int().min(1).max(5).optional(), null)).toBe('The my field field must be an integer.')
    expect(errorsOf(z.object({ x: z.string().nullable().optional() }), { x: null })).toEqual({})
    expect(errorsOf(z.object({ x: z.string().nullable() }), { x: null })).toEqual({})
  })

  test('an empty text that must not be empty is required, even when the field may be missing', () => {
    expect(firstOf(text(255, 1).optional(), '')).toBe('The my field field is required.')
  })

  test('the message of a schema takes precedence', () => {
    const nameOf = (name: unknown) => errorsOf(tools.update.body, { name }).name
    expect(nameOf('1 bad')?.[0]).toContain('64 characters')
    expect(nameOf('x'.repeat(65))?.[0]).toContain('64 characters')
    expect(nameOf('fine_1')).toBeUndefined()
  })
})

describe('whole bodies', () => {
  test('all errors of all fields are reported at once, in the order of declaration', () => {
    const result = validate(tools.create.body, { method: 'HEAD', timeout: 99, name: 'ok' })
    expect(result).toEqual({
      ok: false,
      errors: {
        description: ['The description field is required.'],
        endpoint: ['The endpoint field is required.'],
        method: ['The selected method is invalid.'],
        timeout: ['The timeout field must be between 1 and 30.'],
      },
      first: 'The description field is required.',
    })
  })

  test('a valid body is returned with its defaults', () => {
    const body = { name: 'look_up', description: 'Looks it up', endpoint: 'https://example.com/x', method: 'GET' }
    expect(validate(tools.create.body, body)).toEqual({
      ok: true,
      value: { ...body, body_format: 'json', timeout: 10, headers: [], static_fields: [], schema: [] },
    })
  })

  test('fields inside lists are named by their dotted path', () => {
    expect(errorsOf(tools.update.body, { schema: [{ name: '1', type: 'date', description: 'ab' }, 5] })).toEqual({
      'schema.0.name': ['The schema.0.name field format is invalid.'],
      'schema.0.type': ['The selected schema.0.type is invalid.'],
      'schema.0.description': ['The schema.0.description field must be at least 3 characters.'],
      'schema.1': ['The schema.1 field must be an object.'],
    })
    expect(errorsOf(tools.update.body, { headers: [{ value: 'x' }] })).toEqual({
      'headers.0.name': ['The headers.0.name field is required.'],
    })
  })

  test('unknown fields are refused at every depth, except read-only ones of the record and loose objects', () => {
    const schema = z.object({
      known: z.object({ a: z.string().optional() }).optional(),
      open: z.looseObject({}).optional(),
    })
    expect(errorsOf(schema, { knwon: 1, known: { a: 'x', b_c: 1 }, open: { anything: 1 } })).toEqual({
      knwon: ['The knwon field is not recognized.'],
      'known.b_c': ['The known.b c field is not recognized.'],
    })
    expect(validate(schema, { id: 5, created_at: 'x' }, new Set(['id', 'created_at']))).toEqual({ ok: true, value: {} })
    expect(errorsOf(schema, JSON.parse('{"__proto__": 1, "constructor": 2}'))).toHaveProperty('constructor')
    expect(Object.keys(errorsOf(schema, JSON.parse('{"__proto__": 1}')))).toEqual(['__proto__'])
  })

  test('a union is validated by the member that its type names', () => {
    const Member = z.discriminatedUnion('type', [
      z.object({ type: z.literal('transfer'), phone_number: z.string(), warm: z.boolean().default(false) }),
      z.discriminatedUnion('kind', [
        z.object({ type: z.literal('calendar'), kind: z.literal('a').optional().default('a'), a_key: z.string() }),
        z.object({ type: z.literal('calendar'), kind: z.literal('b'), b_key: z.string() }),
      ]),
    ])
    const schema = z.object({ tools: z.array(Member) })
    expect(
      errorsOf(schema, {
        tools: [
          { type: 'transfer', warm: 3, x: 1 },
          { type: 'calendar' },
          { type: 'calendar', kind: 'b' },
          { type: 'other' },
          {},
          { type: 'calendar', kind: 'c' },
        ],
      }),
    ).toEqual({
      'tools.0.phone_number': ['The tools.0.phone number field is required.'],
      'tools.0.warm': ['The tools.0.warm field must be true or false.'],
      'tools.0.x': ['The tools.0.x field is not recognized.'],
      'tools.1.a_key': ['The tools.1.a key field is required.'],
      'tools.2.b_key': ['The tools.2.b key field is required.'],
      'tools.3.type': ['The selected tools.3.type is invalid.'],
      'tools.4.type': ['The tools.4.type field is required.'],
      'tools.5.kind': ['The selected tools.5.kind is invalid.'],
    })
  })

  test('lengths are counted in code points', () => {
    expect(firstOf(text(3), '😀😀😀')).toBeUndefined()
    expect(firstOf(text(3), '😀😀😀😀')).toBe('The my field field must not be greater than 3 characters.')
  })

  test('a body that is not an object is refused, an absent or empty one is an empty object', () => {
    expect(errorsOf(tools.update.body, 'text')).toEqual({ body: ['The request body must be a JSON object.'] })
    expect(validate(tools.update.body, undefined)).toEqual({ ok: true, value: {} })
    expect(validate(tools.update.body, [])).toEqual({ ok: true, value: {} })
    expect(errorsOf(tools.update.body, ['x'])).toEqual({ 0: ['The 0 field is not recognized.'] })
  })

  test('a body that is nested too deeply is refused without a crash', () => {
    type Nest = { next?: Nest | undefined }
    const Nested: z.ZodType<Nest> = z.object({ next: z.lazy(() => Nested).optional() })
    let deep: Nest = {}
    for (let n = 0; n < 200_000; n++) deep = { next: deep }
    expect(errorsOf(z.object({ flow: Nested }), { flow: deep })).toEqual({
      body: ['The request body is nested too deeply.'],
    })
  })
})
