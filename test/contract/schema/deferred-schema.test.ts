import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { controlContract } from '../../../src/contract/control/index.ts'
import {
  allowedValues,
  defaultOf,
  descriptionOf,
  isNullable,
  isRequired,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../../src/contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../src/contract/mechanics/endpoint.ts'
import { contract } from '../../../src/contract/resources/index.ts'
import { createdSchema, parserOf, planOf } from '../../../src/contract/schema/deferred-schema.ts'
import { mismatch } from '../../../src/contract/schema/parse.ts'
import { caseCount } from '../../support/case-count.ts'
import { arbitraryOf } from '../../support/schema-arbitrary.ts'

// A deferred schema must be what zod makes of it: the same description, and for each value the same result.

const endpoints = [...Object.values(contract), ...Object.values(controlContract)].flatMap((it) =>
  Object.values(it as Readonly<Record<string, Endpoint>>),
)
const schemas = endpoints.flatMap((it) =>
  (['params', 'query', 'body', 'output'] as const).flatMap((part): [string, z.ZodType][] =>
    it[part] ? [[`${it.name} ${part}`, it[part]]] : [],
  ),
)

/** Values for a random place: of every type, absent, and at the edge of rules. */
const foreign = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  ' ',
  'x',
  '1',
  0,
  -1,
  1.5,
  2 ** 53,
  Number.NaN,
  true,
  [],
  [1],
  {},
  { id: 1 },
  new Date(0),
)

/** Replaces, removes or adds something at a random place of a value. */
const damaged = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value) && value.length > 0)
    return fc
      .tuple(fc.nat(value.length - 1), fc.boolean())
      .chain(([n, isWhole]) =>
        (isWhole ? foreign : damaged(value[n])).map((it) =>
          value.map((old: unknown, index) => (index === n ? it : old)),
        ),
      )
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return foreign
  const names = Object.keys(value)
  return fc.tuple(fc.constantFrom(...names), fc.nat(3)).chain(([name, how]): fc.Arbitrary<unknown> => {
    const { [name]: old, ...rest } = value as Record<string, unknown>
    if (how === 0) return fc.constant(rest)
    if (how === 1) return foreign.map((it) => ({ ...value, unknown_field: it }))
    return (how === 2 ? foreign : damaged(old)).map((it) => ({ ...value, [name]: it }))
  })
}

describe.each(schemas)('%s', (_, schema) => {
  test('is described as zod describes it', () => {
    const compared = new Set<z.ZodType>()
    const compare = (deferred: z.ZodType): void => {
      if (compared.has(deferred)) return
      compared.add(deferred)
      const created = createdSchema(deferred) as z.ZodType
      expect(schemaDefinition(deferred).type).toBe(created._zod.def.type)
      expect(unwrap(deferred).kind).toBe(unwrap(created).kind)
      for (const read of [descriptionOf, isNullable, isRequired, numberRange, allowedValues, defaultOf])
        expect(read(deferred), read.name).toEqual(read(created))
      const own = schemaDefinition(deferred)
      const real = schemaDefinition(created)
      expect(Object.keys(own.shape ?? {})).toEqual(Object.keys(real.shape ?? {}))
      expect(own.catchall && schemaDefinition(own.catchall).type).toBe(
        real.catchall && schemaDefinition(real.catchall).type,
      )
      expect(own.discriminator).toBe(real.discriminator)
      expect(own.options?.length).toBe(real.options?.length)
      const inner = [own.innerType, own.element, own.keyType, own.valueType, own.in, own.out, ...(own.options ?? [])]
      for (const it of [...inner, ...Object.values(own.shape ?? {})]) if (it && planOf(it).definition) compare(it)
    }
    compare(schema)
  })

  test('parses values to the same result', () => {
    const parse = parserOf(schema)
    if (!parse) return
    const created = createdSchema(schema) as z.ZodType
    const values = arbitraryOf(schema)
    fc.assert(
      fc.property(fc.oneof(values, values.chain(damaged)), (value) => {
        const parsed = parse(value)
        if (parsed === mismatch) return
        const expected = created.safeParse(value)
        expect(expected.success, JSON.stringify(value)).toBe(true)
        expect(parsed).toStrictEqual(expected.data)
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected.data))
      }),
      { numRuns: caseCount(1000, 50) },
    )
  })
})
