import type * as z from 'zod'
import { exactInteger, parseJson } from '../../node/json.ts'
import type { SchemaDefinition } from '../schema/definition.ts'
import { originKeywords } from './endpoint-origins.ts'

/** Kind of a schema without its wrappers. */
export type SchemaKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'enum'
  | 'literal'
  | 'array'
  | 'object'
  | 'record'
  | 'union'
  | 'null'
  | 'unknown'

/** Returns the definition of a schema. */
export const schemaDefinition = (schema: z.ZodType): SchemaDefinition => schema._zod.def as SchemaDefinition

const wrappers = new Set(['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch'])

/** Returns the schema inside optional, nullable, default, prefault, pipe and lazy, and its kind. */
export function unwrap(schema: z.ZodType): { readonly base: z.ZodType; readonly kind: SchemaKind } {
  let base = schema
  for (;;) {
    const def = schemaDefinition(base)
    if (wrappers.has(def.type) && def.innerType) base = def.innerType
    else if (def.type === 'lazy' && def.getter) base = def.getter()
    else if (def.type === 'pipe' && def.in && def.out)
      base = schemaDefinition(def.in).type === 'transform' ? def.out : def.in
    else return { base, kind: kindOf(def) }
  }
}

function kindOf(def: SchemaDefinition): SchemaKind {
  if (def.type === 'number') return isIntegerSchema(def) ? 'integer' : 'number'
  return known.has(def.type as SchemaKind) ? (def.type as SchemaKind) : 'unknown'
}

const known: ReadonlySet<SchemaKind> = new Set<SchemaKind>([
  'string',
  'boolean',
  'enum',
  'literal',
  'array',
  'object',
  'record',
  'union',
  'null',
])
const isIntegerSchema = (def: SchemaDefinition): boolean =>
  def.format !== undefined || (def.checks ?? []).some((it) => it._zod.def.check === 'number_format')

const requiredCache = new WeakMap<z.ZodType, boolean>()

/** Returns whether a field is required: undefined is rejected and no default replaces it. */
export function isRequired(schema: z.ZodType): boolean {
  const cached = requiredCache.get(schema)
  if (cached !== undefined) return cached
  const required = !schema.safeParse(undefined).success
  requiredCache.set(schema, required)
  return required
}

/** Returns whether a schema accepts null. */
export const isNullable = (schema: z.ZodType): boolean => !rejectsNull(schema) && schema.safeParse(null).success

const typesWithoutNull: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'enum',
  'array',
  'object',
  'record',
])

/** Returns whether the type of a schema excludes null, whatever its rules are. */
function rejectsNull(schema: z.ZodType): boolean {
  const { type, innerType } = schemaDefinition(schema)
  return (type === 'optional' || type === 'default') && innerType ? rejectsNull(innerType) : typesWithoutNull.has(type)
}

/** Returns the values that an enum, a literal or a union of literals allows; undefined for other schemas. */
export function allowedValues(schema: z.ZodType): readonly (string | number | boolean | null)[] | undefined {
  const { base, kind } = unwrap(schema)
  const def = schemaDefinition(base)
  if (kind === 'enum') return Object.values(def.entries ?? {})
  if (kind === 'literal') return (def.values ?? []) as readonly (string | number | boolean | null)[]
  if (kind !== 'union') return undefined
  const all = (def.options ?? []).map(allowedValues)
  return all.every((it) => it !== undefined) ? all.flat() : undefined
}

/** Returns the default that replaces a missing field; undefined if the schema has none. */
export function defaultOf(schema: z.ZodType): unknown {
  for (let inner: z.ZodType | undefined = schema; inner; ) {
    const def: SchemaDefinition = schemaDefinition(inner)
    if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
    inner = wrappers.has(def.type) ? def.innerType : def.type === 'pipe' ? def.in : undefined
  }
  return undefined
}

/** Returns the member of a union that matches a value: by its discriminators, otherwise the first that accepts it. */
export function unionMember(union: z.ZodType, value: unknown): z.ZodType | undefined {
  const { options = [], discriminator } = schemaDefinition(union)
  const chosen =
    discriminator === undefined
      ? options.find((it) => it.safeParse(value).success)
      : options.find((it) => acceptsDiscriminator(it, discriminator, value))
  if (!chosen) return undefined
  const { base, kind } = unwrap(chosen)
  return kind === 'union' ? unionMember(base, value) : base
}

function acceptsDiscriminator(option: z.ZodType, discriminator: string, value: unknown): boolean {
  const { base, kind } = unwrap(option)
  const def = schemaDefinition(base)
  if (kind === 'union') return (def.options ?? []).some((it) => acceptsDiscriminator(it, discriminator, value))
  const field = def.shape?.[discriminator]
  return field?.safeParse((value as Record<string, unknown> | null)?.[discriminator]).success ?? false
}

/** Returns the inclusive minimum and maximum of a number schema, as far as it declares them. */
export function numberRange(schema: z.ZodType): { readonly min?: number; readonly max?: number } {
  const checks = (schemaDefinition(unwrap(schema).base).checks ?? [])
    .map((it) => it._zod.def)
    .filter((it) => it.inclusive === true)
  const bound = (check: string): number | undefined => checks.find((it) => it.check === check)?.value
  const [min, max] = [bound('greater_than'), bound('less_than')]
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

/** Returns the description of a schema, from the outermost wrapper that has one. */
export function descriptionOf(schema: z.ZodType): string | undefined {
  for (let inner: z.ZodType | undefined = schema; inner; ) {
    if (inner.description !== undefined) return inner.description
    const def: SchemaDefinition = schemaDefinition(inner)
    inner = wrappers.has(def.type) ? def.innerType : def.type === 'pipe' ? def.in : undefined
  }
  return undefined
}

/** Returns the capability that a field requires, wherever in its wrappers it is declared with `assumed`. */
export function capabilityOf(schema: z.ZodType): string | undefined {
  for (let inner: z.ZodType | undefined = schema; inner; ) {
    const capability = inner.meta()?.[originKeywords.capability]
    if (capability !== undefined) return capability as string
    const def: SchemaDefinition = schemaDefinition(inner)
    inner = wrappers.has(def.type) ? def.innerType : def.type === 'pipe' ? def.in : undefined
  }
  return undefined
}

const integerPattern = /^-?\d+$/
const decimalPattern = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const booleanTexts: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false }

/**
 * Converts text from a query string, a flag or a file cell to the type of the schema. Arrays and objects are parsed as
 * JSON. Scripts and files of users rely on what is accepted: it never accepts less.
 * Text that does not fit is returned unchanged, so that validation reports the error.
 */
export function coerce(schema: z.ZodType, text: string): unknown {
  const { base, kind } = unwrap(schema)
  switch (kind) {
    case 'integer':
      if (!integerPattern.test(text)) return text
      // An id of another platform may be beyond 2^53.
      return Number.isSafeInteger(Number(text)) ? Number(text) : /^-?[1-9]\d{15,999}$/.test(text) ? BigInt(text) : text
    case 'number':
      return decimalPattern.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return Object.hasOwn(booleanTexts, text) ? booleanTexts[text] : text
    case 'enum':
    case 'literal':
      return allowedValues(base)?.find((it) => String(it) === text) ?? text
    case 'array':
    case 'object':
    case 'record':
      return fromJson(text, kind === 'array')
    case 'union':
      return coerceUnion(base, text)
    default:
      return text
  }
}

function fromJson(text: string, list: boolean): unknown {
  try {
    const value: unknown = parseJson(text)
    return typeof value === 'object' && value !== null && Array.isArray(value) === list ? value : text
  } catch {
    return text
  }
}

function coerceUnion(union: z.ZodType, text: string): unknown {
  for (const option of schemaDefinition(union).options ?? []) {
    const value = coerce(option, text)
    if (option.safeParse(value).success) return value
  }
  return schemaDefinition(union).discriminator === undefined ? text : fromJson(text, false)
}

/** Scalars of a tree that were written as quoted or block text: the keys, by the object or list that contains them. */
export type QuotedScalars = WeakMap<object, ReadonlySet<string>>

const none: QuotedScalars = new WeakMap()

/**
 * Converts a tree whose scalars are all text (YAML parsed with the failsafe schema) to the types of the schema.
 * `null`, `~` and the empty text become null where the schema allows it. Where the schema leaves the type open, `true`,
 * `false`, `null` and plainly written numbers are converted unless they were written as text: `9` and `0.5` are, `"9"`,
 * `+15551234567`, `0044` and `1e3` stay text.
 */
export function coerceDeep(schema: z.ZodType, value: unknown, asText: QuotedScalars = none, isText = false): unknown {
  const { base, kind } = unwrap(schema)
  const def = schemaDefinition(base)
  if (typeof value === 'string') {
    if (isText && (kind === 'unknown' || (kind === 'string' && value !== ''))) return value
    if ((value === 'null' || value === '~' || value === '') && kind !== 'unknown' && isNullable(schema))
      return value === '' && kind === 'string' ? '' : null
    return kind === 'unknown' ? coerceUntypedScalar(value) : coerce(schema, value)
  }
  if (typeof value !== 'object' || value === null) return value
  const texts = asText.get(value)
  const deep = (field: z.ZodType, key: string | number, inner: unknown): unknown =>
    coerceDeep(field, inner, asText, texts?.has(String(key)))
  if (Array.isArray(value)) {
    if (kind === 'array' && def.element) return value.map((it, at) => deep(def.element as z.ZodType, at, it))
    return kind === 'unknown' ? coerceUntyped(value, asText) : value
  }
  if (kind === 'union') {
    const member = unionMember(base, value)
    return member ? coerceDeep(member, value, asText) : value
  }
  if (kind !== 'object' && kind !== 'record') return kind === 'unknown' ? coerceUntyped(value, asText) : value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const field =
        kind === 'record' ? def.valueType : Object.hasOwn(def.shape ?? {}, key) ? def.shape?.[key] : def.catchall
      // A field that only this deployment has must come back unchanged, so its type is left open.
      return [key, field ? deep(field, key, child) : coerceUntyped(child, asText, texts?.has(key))]
    }),
  )
}

function coerceUntyped(value: unknown, asText: QuotedScalars, isText = false): unknown {
  if (typeof value === 'string') return isText ? value : coerceUntypedScalar(value)
  if (typeof value !== 'object' || value === null) return value
  const texts = asText.get(value)
  const open = (it: unknown, key: string | number): unknown => coerceUntyped(it, asText, texts?.has(String(key)))
  return Array.isArray(value)
    ? value.map(open)
    : Object.fromEntries(Object.entries(value).map(([key, child]) => [key, open(child, key)]))
}

function coerceUntypedScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null' || text === '~') return null
  if (/^-?[1-9]\d{15,999}$/.test(text)) return exactInteger(text)
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text
}
