import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import {
  allowedValues,
  defaultOf,
  isRequired,
  schemaDefinition,
  unionMember,
  unwrap,
} from '../../src/contract/endpoint/coerce.ts'

// Values for every field of a schema, and the fields that a value has. Tests of what is stored use them, so that a new
// field of the contract is tested without a line of its own.

/** Texts of which at least one fits each text field of the contract. The first one fits also where a number is required. */
const texts = [
  '+14155550123',
  'Other words',
  'other_words',
  'en',
  'US',
  'https://other.example/path',
  'https://other.example/event_types/one',
  'other@account.example',
  'pm_card_visa',
  '2001',
  '203.0.113.7',
  '09:30',
  'Europe/Berlin',
  '2027-01-02T03:04:05.000000Z',
  '2027-01-02T03:04',
  '20/day',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
  'a1'.repeat(32),
  'b'.repeat(21),
]
const numbers = [1, 2, 3, 4, 5, 10, 15, 20, 30, 60, 120, 600, 0.2, 0.3, 0.7]

/** Returns valid values of a schema other than its default, which together have every field in it. */
export function valuesOf(schema: z.ZodType): unknown[] {
  const usual = defaultOf(schema)
  return candidates(unwrap(schema).base).filter((it) => !isDeepStrictEqual(it, usual) && schema.safeParse(it).success)
}

function candidates(base: z.ZodType): unknown[] {
  const { kind } = unwrap(base)
  const { element, shape, valueType, options = [] } = schemaDefinition(base)
  const words = allowedValues(base)
  if (words) return words.filter((it) => it !== null)
  switch (kind) {
    case 'string':
      return texts
    case 'integer':
    case 'number':
      return numbers
    case 'boolean':
      return [true, false]
    case 'array':
      return element ? valuesOf(element).map((it) => [it]) : [['other']]
    case 'record':
      return (valueType ? valuesOf(valueType) : ['other']).slice(0, 1).map((it) => ({ other: it }))
    case 'union':
      return options.flatMap(valuesOf)
    case 'object':
      return objects(shape ?? {})
    default:
      return ['other']
  }
}

/** Returns objects with the required fields and each one of the others. */
function objects(shape: Readonly<Record<string, z.ZodType>>): unknown[] {
  const fields = Object.entries(shape)
  const required = fields.filter(([, schema]) => isRequired(schema))
  const values = required.map(([name, schema]) => [name, valuesOf(schema)[0]] as const)
  const least = Object.fromEntries(values.filter(([, value]) => value !== undefined))
  return fields.flatMap(([name, schema]) => valuesOf(schema).map((value) => ({ ...least, [name]: value })))
}

/** A field of a value: its path without positions, as `leads[].variables`, its place, and what is there. */
interface FieldValue {
  readonly path: string
  readonly value: unknown
}

/** Returns the innermost fields of a value that differ from their defaults. */
export function fieldsOf(schema: z.ZodType, value: unknown, path = ''): FieldValue[] {
  if (value === undefined || isDeepStrictEqual(value, defaultOf(schema))) return []
  const { base, kind } = unwrap(schema)
  const { element, shape } = schemaDefinition(base)
  if (kind === 'union' && !allowedValues(base)) {
    const member = unionMember(base, value)
    if (member && unwrap(member).kind === 'object') return fieldsOf(member, value, path)
  }
  if (kind === 'array' && element && Array.isArray(value)) {
    const inner = value.flatMap((it) => fieldsOf(element, it, `${path}[]`))
    return inner.some((it) => it.path !== `${path}[]`) ? inner : [{ path, value }]
  }
  if (kind === 'object' && shape && Object.keys(shape).length > 0 && typeof value === 'object' && value !== null)
    return Object.entries(shape).flatMap(([name, inner]) =>
      fieldsOf(inner, (value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`),
    )
  return [{ path, value }]
}

/** Returns the paths of all innermost fields of a schema. */
export function fieldPaths(schema: z.ZodType, path = ''): string[] {
  const { base, kind } = unwrap(schema)
  const { element, shape, options = [] } = schemaDefinition(base)
  if (kind === 'union' && !allowedValues(base)) {
    const inner = options.filter((it) => ['object', 'union'].includes(unwrap(it).kind))
    if (inner.length > 0) return [...new Set(inner.flatMap((it) => fieldPaths(it, path)))]
  }
  if (kind === 'array' && element) {
    const inner = fieldPaths(element, `${path}[]`)
    return inner.length === 1 && inner[0] === `${path}[]` ? [path] : inner
  }
  if (kind === 'object' && shape && Object.keys(shape).length > 0)
    return Object.entries(shape).flatMap(([name, inner]) => fieldPaths(inner, path === '' ? name : `${path}.${name}`))
  return [path]
}
