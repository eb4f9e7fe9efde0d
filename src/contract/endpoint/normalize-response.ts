import type * as z from 'zod'
import { parseJson } from '../../node/json.ts'
import { isObject } from '../values/json-object.ts'
import { allowedValues, coerce, schemaDefinition, unwrap } from './coerce.ts'

/** Function that brings one value into the form of the contract; null if the schema needs no conversion. */
type Normalizer = ((value: unknown) => unknown) | null

const known = new WeakMap<z.ZodType, { normalize: Normalizer }>()
const unchanged = (value: unknown): unknown => value

/**
 * Converts a response of a deployment to the form of the contract.
 * Deployments may send numbers as text, booleans as 0 and 1, lists and objects as JSON text, numbers for text, and list
 * items as `{type, data}`. Values that cannot be converted and unknown fields stay unchanged. What is converted here,
 * `doctor --conformance` reports as tolerated (response-differences.ts).
 */
export const normalizeResponse = (schema: z.ZodType, answer: unknown): unknown =>
  (normalizerOf(schema) ?? unchanged)(answer)

function normalizerOf(schema: z.ZodType): Normalizer {
  const { base, kind } = unwrap(schema)
  const cached = known.get(base)
  if (cached) return cached.normalize
  // For a recursive schema: while its normalizer is created, nested uses look it up later, when a value arrives.
  const entry: { normalize: Normalizer } = { normalize: (value) => (entry.normalize ?? unchanged)(value) }
  known.set(base, entry)
  entry.normalize = createNormalizer(base, kind)
  return entry.normalize
}

function createNormalizer(base: z.ZodType, kind: ReturnType<typeof unwrap>['kind']): Normalizer {
  const def = schemaDefinition(base)
  switch (kind) {
    case 'string':
      return (value) => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : value)
    case 'integer':
      return (value) => (typeof value === 'string' ? normalizeInteger(value) : value)
    case 'number':
      return (value) => (typeof value === 'string' ? coerce(base, value.trim()) : value)
    case 'boolean':
      return (value) => (typeof value === 'number' || typeof value === 'string' ? coerce(base, String(value)) : value)
    case 'literal':
      return typeof allowedValues(base)?.[0] === 'boolean' ? normalizeBoolean : null
    case 'array':
      return listNormalizer(def.element ? normalizerOf(def.element) : null)
    case 'record':
      return recordNormalizer(base, def.valueType)
    case 'object':
      return objectNormalizer(base, def.shape ?? {})
    case 'union':
      return def.discriminator === undefined ? null : unionNormalizer(def.options ?? [], def.discriminator)
    default:
      return null
  }
}

const normalizeBoolean = (value: unknown): unknown =>
  value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : value

/** Converts `"3"` and `"3.00"`; other text stays text. */
function normalizeInteger(text: string): unknown {
  const match = /^\s*(-?\d{1,15})(\.0*)?\s*$/.exec(text)
  return match ? Number(match[1]) : text
}

function listNormalizer(item: Normalizer): Normalizer {
  return (value) => {
    const list = typeof value === 'string' && value.startsWith('[') ? parsed(value) : value
    if (!item || !Array.isArray(list)) return list
    let copy: unknown[] | undefined
    for (const [n, entry] of list.entries()) {
      const next = item(entry)
      if (next === entry) continue
      copy ??= [...list]
      copy[n] = next
    }
    return copy ?? list
  }
}

function objectNormalizer(base: z.ZodType, shape: Readonly<Record<string, z.ZodType>>): Normalizer {
  const fieldNormalizers = Object.entries(shape).flatMap(([name, schema]): [string, NonNullable<Normalizer>][] => {
    const fieldNormalizer = normalizerOf(schema)
    return fieldNormalizer ? [[name, fieldNormalizer]] : []
  })
  return (given) => {
    const value = typeof given === 'string' && given.startsWith('{') ? coerce(base, given) : given
    if (!isObject(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const [name, normalize] of fieldNormalizers) {
      const field = value[name]
      if (field === undefined || field === null) continue
      const next = normalize(field)
      if (next === field) continue
      copy ??= { ...value }
      copy[name] = next
    }
    return copy ?? value
  }
}

function recordNormalizer(base: z.ZodType, valueType: z.ZodType | undefined): Normalizer {
  // In a record of texts, such as variables, a number is what a user chose to store.
  const item = valueType && unwrap(valueType).kind !== 'string' ? normalizerOf(valueType) : null
  return (given) => {
    const value = typeof given === 'string' ? coerce(base, given) : given
    if (!item || !isObject(value)) return value
    const entries = Object.entries(value)
    const next = entries.map(([key, child]) => [key, child === null ? child : item(child)] as const)
    return next.every(([, child], n) => child === entries[n]?.[1]) ? value : Object.fromEntries(next)
  }
}

/**
 * Returns the normalizer of a discriminated union. Its members are flat in the contract; deployments put the other
 * fields under `data`.
 */
function unionNormalizer(options: readonly z.ZodType[], discriminator: string): Normalizer {
  const members = new Map<unknown, Normalizer>()
  const names = new Set<string>()
  const add = (option: z.ZodType, normalizer: Normalizer): void => {
    const { base } = unwrap(option)
    const { shape = {}, options: inner } = schemaDefinition(base)
    // A nested union has its own discriminator.
    for (const pointer of inner ?? []) add(pointer, normalizer)
    for (const name of Object.keys(shape)) names.add(name)
    const field = shape[discriminator]
    for (const value of (field && allowedValues(field)) ?? []) members.set(value, normalizer)
  }
  for (const option of options) add(option, normalizerOf(option))
  return (given) => {
    if (!isObject(given)) return given
    const { data, ...rest } = given
    const value: Record<string, unknown> = isObject(data) && !names.has('data') ? { ...rest, ...data } : given
    return (members.get(value[discriminator]) ?? unchanged)(value)
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = parseJson(text)
    return Array.isArray(value) ? value : text
  } catch {
    return text
  }
}
