import type * as zod from 'zod'
import { createdSchema, DeferredSchema, defer, objectParser, parserOf } from './deferred-schema.ts'
import type { SchemaDefinition } from './definition.ts'
import { accepting, type Parse, parseArray, parseRecord, undecided } from './parse.ts'
import { loadZod, type Zod } from './zod.ts'

// The functions of zod that create schemas, with their types. Schemas are created by zod when they are needed. Write:
// import * as z from '.../schema/schema.ts'

export type {
  core,
  input,
  output,
  RefinementCtx,
  ZodDefault,
  ZodNullable,
  ZodObject,
  ZodOptional,
  ZodRawShape,
  ZodString,
  ZodType,
} from 'zod'

type Factory = (...given: readonly unknown[]) => unknown

const call = (name: keyof Zod, given: readonly unknown[]): ((zod: Zod) => unknown) => {
  return (loaded) => (loaded[name] as Factory)(...given.map(createdSchema))
}

/** Returns a function of zod that creates schemas of plain values. */
const plain = <K extends keyof Zod>(name: K, definition?: SchemaDefinition, parse?: Parse): Zod[K] =>
  ((...given: readonly unknown[]) =>
    defer(call(name, given), { ...(definition && { definition }), parse: parse && (() => parse) })) as unknown as Zod[K]

const isText = (it: unknown): boolean => typeof it === 'string'

export const string = plain('string', { type: 'string' }, accepting(isText))
export const number = plain('number', { type: 'number' }, accepting(Number.isFinite))
export const int = plain('int', { type: 'number', format: 'safeint' }, accepting(Number.isSafeInteger))
export const boolean = plain(
  'boolean',
  { type: 'boolean' },
  accepting((it) => typeof it === 'boolean'),
)
export const unknown = plain('unknown', { type: 'unknown' }, (it) => it)
export const email = plain('email', { type: 'string', format: 'email' })
export const uuid = plain('uuid', { type: 'string', format: 'uuid' })
export const guid = plain('guid', { type: 'string', format: 'guid' })
export const ipv4 = plain('ipv4', { type: 'string', format: 'ipv4' })
export const ipv6 = plain('ipv6', { type: 'string', format: 'ipv6' })
export const cidrv4 = plain('cidrv4', { type: 'string', format: 'cidrv4' })
export const cidrv6 = plain('cidrv6', { type: 'string', format: 'cidrv6' })
export const file = plain('file')
const never = plain('never', { type: 'never' })
const nullSchema = plain(
  'null',
  { type: 'null' },
  accepting((it) => it === null),
)

export const iso = {
  datetime: (...given: Parameters<typeof zod.iso.datetime>) => defer((loaded) => loaded.iso.datetime(...given)),
} as unknown as Pick<typeof zod.iso, 'datetime'>

const enumOf = ((values: readonly string[], ...given: readonly unknown[]) => {
  const allowed = new Set<unknown>(values)
  return defer(call('enum', [values, ...given]), {
    definition: { type: 'enum', entries: Object.fromEntries(values.map((it) => [it, it])) },
    parse: () => accepting((it) => allowed.has(it)),
  })
}) as unknown as typeof zod.enum

export const literal = ((given: unknown, ...more: readonly unknown[]) => {
  const values: readonly unknown[] = Array.isArray(given) ? given : [given]
  const allowed = new Set(values)
  return defer(call('literal', [given, ...more]), {
    definition: { type: 'literal', values },
    parse: () => accepting((it) => allowed.has(it)),
  })
}) as unknown as typeof zod.literal

export const array = ((element: zod.ZodType, ...given: readonly unknown[]) =>
  defer(call('array', [element, ...given]), {
    definition: { type: 'array', element },
    parse: () => parseArray(parserOf(element) ?? undecided),
  })) as unknown as typeof zod.array

/** Returns a function of zod that creates schemas of objects. */
const objects = <K extends 'object' | 'looseObject' | 'strictObject'>(name: K, catchall?: () => zod.ZodType): Zod[K] =>
  ((shape: Readonly<Record<string, zod.ZodType>> = {}, ...given: readonly unknown[]) =>
    defer(call(name, [shape, ...given]), {
      definition: { type: 'object', shape, ...(catchall && { catchall: catchall() }) },
      parse: catchall ? undefined : () => objectParser(shape),
    })) as unknown as Zod[K]

export const object = objects('object')
export const looseObject = objects('looseObject', unknown)
export const strictObject = objects('strictObject', never)

export const record = ((keyType: zod.ZodType, valueType: zod.ZodType, ...given: readonly unknown[]) =>
  defer(call('record', [keyType, valueType, ...given]), {
    definition: { type: 'record', keyType, valueType },
    parse: () => {
      const item = parserOf(valueType)
      return keyType instanceof DeferredSchema && parserOf(keyType) === parserOf(anyText) && item
        ? parseRecord(item)
        : undefined
    },
  })) as unknown as typeof zod.record
const anyText = string()

export const union = ((options: readonly zod.ZodType[], ...given: readonly unknown[]) =>
  defer(call('union', [options, ...given]), {
    definition: { type: 'union', options },
  })) as unknown as typeof zod.union

export const discriminatedUnion = ((
  discriminator: string,
  options: readonly zod.ZodType[],
  ...given: readonly unknown[]
) =>
  defer(call('discriminatedUnion', [discriminator, options, ...given]), {
    definition: { type: 'union', options, discriminator },
  })) as unknown as typeof zod.discriminatedUnion

export const lazy = ((getter: () => zod.ZodType) =>
  defer((loaded) => loaded.lazy(() => createdSchema(getter()) as zod.ZodType), {
    definition: { type: 'lazy', getter },
  })) as unknown as typeof zod.lazy

export const preprocess = ((convert: never, out: zod.ZodType) =>
  defer(call('preprocess', [convert, out]), {
    definition: {
      type: 'pipe',
      in: defer((loaded) => loaded.transform(convert), { definition: { type: 'transform' } }),
      out,
    },
  })) as unknown as typeof zod.preprocess

/** Returns the JSON Schema of a schema. */
export const toJSONSchema = ((schema: zod.ZodType, params?: never) =>
  loadZod().toJSONSchema(createdSchema(schema) as zod.ZodType, params)) as unknown as typeof zod.toJSONSchema

export { enumOf as enum, nullSchema as null }
