import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { type SampleList, type SampleListName, sampleLists } from '../../../contract/control/sample-data.ts'
import { defaultOf, isNullable, isRequired, schemaDefinition, unwrap } from '../../../contract/mechanics/coerce.ts'
import { isObject } from '../../../contract/values/json-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a record of a list in the order of the contract, without fields that a file need not have. */
export function omitDefaults(list: SampleListName, fields: Fields): Fields {
  const { body, record }: SampleList = sampleLists[list]
  const names = body ? namesFirst(body, record) : Object.keys(record.shape)
  return tidyObject({ ...body?.shape, ...record.shape } as Shape, names, fields)
}

/** Returns the fields of a schema in its order, without those that equal their default. */
export const omitDefaultFields = ({ shape }: z.ZodObject, fields: Fields): Fields =>
  tidyObject(shape as Shape, Object.keys(shape), fields)

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns the names of the fields of a record: first those of its request, last its times. */
const namesFirst = (body: z.ZodObject, record: z.ZodObject): string[] => {
  const { ref: _, ...rest } = record.shape
  return [
    'name',
    'ref',
    ...Object.keys(body.shape).filter((it) => it !== 'name'),
    ...Object.keys(rest).filter((it) => it !== 'name'),
  ]
}

/** Fields in which null is another value than none: unlimited, and no next attempt. */
const meaningfulNulls = new Set(['messaging_limit', 'next_attempt_at'])

function tidyObject(shape: Shape, names: readonly string[], fields: Fields): Fields {
  return Object.fromEntries(
    names.flatMap((name) => {
      const schema = shape[name]
      if (!schema || !Object.hasOwn(fields, name)) return []
      const value = tidyValue(schema, fields[name])
      const usual = defaultOf(schema)
      if (value === undefined) return []
      if (value === null && !(usual === undefined && meaningfulNulls.has(name) && isNullable(schema))) return []
      if (usual !== undefined ? isDeepStrictEqual(value, usual) : isEmpty(value) && !isRequired(schema)) return []
      return [[name, value]]
    }),
  )
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0

/** Omits the defaults of the records within a record, such as the leads of a campaign. */
function tidyValue(schema: z.ZodType, value: unknown): unknown {
  const { element, shape, catchall } = schemaDefinition(unwrap(schema).base)
  if (Array.isArray(value)) return element ? value.map((it) => tidyValue(element, it)) : value
  return shape && !catchall && isObject(value) ? tidyObject(shape as Shape, Object.keys(shape), value) : value
}
