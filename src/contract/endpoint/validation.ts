import type * as z from 'zod'
import { selectionText } from '../errors/failures.ts'
import { isNullable, isRequired, type SchemaKind, schemaDefinition, unionMember, unwrap } from './coerce.ts'

type Validated<T> =
  | { readonly ok: true; readonly value: T }
  /**
   * `errors`: messages by the dotted path of each invalid field. `first`: the first message, in the order in which the
   * fields are declared.
   */
  | { readonly ok: false; readonly errors: Record<string, string[]>; readonly first: string }

const none: ReadonlySet<string> = new Set()

/**
 * Validates a body, a query or path parameters against a schema, with the error messages of deployments.
 * Rejects unknown fields, including nested ones, unless the schema is loose or `ignored` lists the name (top level
 * only). Commands check files of users, such as scenarios, and rows of bulk commands with it too, so that both say the same.
 */
export function validate<S extends z.ZodObject>(
  schema: S,
  raw: unknown,
  ignored: ReadonlySet<string> = none,
): Validated<z.output<S>> {
  const given = raw ?? {}
  if (typeof given !== 'object') return invalidResult(new Map([['body', ['The request body must be a JSON object.']]]))
  const { errors, unknownFields } = inspect(schema, given, ignored)
  // Only computed for an invalid value, because messages need to know the schema at each path.
  let bases: Bases | undefined
  const seen = (): Bases => {
    bases ??= inspect(schema, given, ignored, new Map()).bases
    return bases ?? new Map()
  }
  let issues: readonly z.core.$ZodIssue[] = []
  try {
    const parsed = schema.safeParse(Array.isArray(given) ? { ...given } : given, {
      error: (issue) => issueMessage(issue, seen()),
    })
    if (parsed.success && errors.size === 0 && unknownFields.size === 0) return { ok: true, value: parsed.data }
    issues = parsed.error?.issues ?? []
  } catch (error) {
    // A definition nested thousands of levels deep exhausts the stack before any rule can run.
    if (!(error instanceof RangeError)) throw error
    return invalidResult(new Map([['body', ['The request body is nested too deeply.']]]))
  }
  const missing = new Set(errors.keys())
  for (const issue of issues) {
    const path = issue.path.join('.')
    if (missing.has(path)) continue
    const texts = errors.get(path) ?? []
    if (!texts.includes(issue.message)) errors.set(path, [...texts, issue.message])
  }
  const order = Object.keys(schema.shape)
  const rank = (path: string): number => order.indexOf(path.split('.', 1)[0] ?? '')
  return invalidResult(new Map([...[...errors].sort(([a], [b]) => rank(a) - rank(b)), ...unknownFields]))
}

function invalidResult(errors: ReadonlyMap<string, string[]>): Validated<never> {
  return { ok: false, errors: Object.fromEntries(errors), first: [...errors.values()][0]?.[0] ?? '' }
}

interface Inspection {
  /** Errors about required fields that are missing, empty or null. */
  readonly errors: Map<string, string[]>
  readonly unknownFields: Map<string, string[]>
  /** Only collected if requested. */
  readonly bases: Bases | undefined
}

/** The schema without wrappers at each visited path. It determines the type that an error message names. */
type Bases = Map<string, { readonly base: z.ZodType; readonly kind: SchemaKind }>

/** Walks a value along its schema and finds what zod does not report: blank required fields and unknown fields. */
function inspect(schema: z.ZodObject, given: object, ignored: ReadonlySet<string>, bases?: Bases): Inspection {
  const found: Inspection = { errors: new Map(), unknownFields: new Map(), bases }
  try {
    visit(schema, given, '', found, ignored)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return found
}

function visit(
  schema: z.ZodType,
  value: unknown,
  path: string,
  found: Inspection,
  ignored: ReadonlySet<string> = none,
): void {
  const unwrapped = unwrap(schema)
  const def = schemaDefinition(unwrapped.base)
  found.bases?.set(path, unwrapped)
  if (typeof value === 'string' && unstorableText.test(value))
    found.errors.set(path, [`The ${attribute(path)} field must not contain NUL or broken characters.`])
  if (typeof value !== 'object' || value === null) return
  const below = (key: string | number): string => (path === '' ? String(key) : `${path}.${key}`)
  if (unwrapped.kind === 'array' && def.element && Array.isArray(value)) {
    for (const [n, item] of value.entries()) visit(def.element, item, below(n), found)
  } else if (unwrapped.kind === 'record' && def.valueType) {
    for (const [key, item] of Object.entries(value)) visit(def.valueType, item, below(key), found)
  } else if (unwrapped.kind === 'union') {
    const member = unionMember(unwrapped.base, value)
    if (member) visit(member, value, path, found)
    else if (def.discriminator !== undefined && isBlank(at(value, def.discriminator)))
      found.errors.set(below(def.discriminator), [required(below(def.discriminator))])
  } else if (unwrapped.kind === 'object' && def.shape && (path === '' || !Array.isArray(value))) {
    const loose = def.catchall !== undefined && schemaDefinition(def.catchall).type !== 'never'
    for (const key of Object.keys(value)) {
      if (found.unknownFields.size >= maxUnknownFields) break
      if (!loose && !Object.hasOwn(def.shape, key) && !ignored.has(key))
        found.unknownFields.set(below(key), [`The ${attribute(below(key))} field is not recognized.`])
    }
    for (const [key, field] of Object.entries(def.shape)) {
      const item = at(value, key)
      if (isBlank(item) && isRequired(field) && !(item === null && isNullable(field)))
        found.errors.set(below(key), [required(below(key))])
      else if (item !== undefined) visit(field, item, below(key), found)
    }
  }
}

/** Maximum number of unknown fields that a response names. */
const maxUnknownFields = 20

/** NUL and unpaired surrogates, which databases cannot store unchanged. */
const unstorableText = /[\0\p{Cs}]/u

const at = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
const attribute = (path: string): string => path.replaceAll('_', ' ')
const required = (path: string): string => `The ${attribute(path)} field is required.`

// The messages are those of deployments, and scripts match them: they never change.
const typeMessages: Readonly<Partial<Record<SchemaKind, string>>> = {
  string: 'must be a string.',
  integer: 'must be an integer.',
  number: 'must be a number.',
  boolean: 'must be true or false.',
  array: 'must be an array.',
  object: 'must be an object.',
  record: 'must be an object.',
}

/** Messages by the format of a schema, or by the `rule` that a refinement of the contract names (field-schemas.ts). */
const ruleMessages: Readonly<Record<string, string>> = {
  url: 'must be a valid URL.',
  email: 'must be a valid email address.',
  uuid: 'must be a valid UUID.',
  guid: 'must be a valid UUID.',
  ip: 'must be a valid IP address.',
  timezone: 'must be a valid timezone.',
  date: 'must be a valid date in the form YYYY-MM-DD.',
  holiday: 'must be a valid date in the form YYYY-MM-DD, or MM-DD for every year.',
  depth: 'is nested too deeply.',
  blank: 'is required.',
}

function issueMessage(issue: z.core.$ZodRawIssue, bases: Bases): string {
  const path = (issue.path ?? []).join('.')
  const field = `The ${attribute(path)} field`
  const seen = bases.get(path)
  switch (issue.code) {
    case 'invalid_type':
      return `${field} ${(seen && typeMessages[seen.kind]) ?? 'is invalid.'}`
    case 'invalid_value':
    case 'invalid_union':
      return selectionText(path)
    case 'too_big':
    case 'too_small':
      return issue.code === 'too_small' && issue.origin === 'string' && Number(issue.minimum) === 1
        ? required(path)
        : `${field} ${boundMessage(issue, seen?.base)}`
    case 'invalid_format':
      return `${field} ${ruleMessages[issue.format] ?? 'format is invalid.'}`
    case 'custom':
      if (issue.params?.rule === 'kilobytes') return `${field} must not be greater than ${issue.params.max} kilobytes.`
      return `${field} ${ruleMessages[String(issue.params?.rule)] ?? 'is invalid.'}`
    default:
      return `${field} is invalid.`
  }
}

function boundMessage(
  issue: Extract<z.core.$ZodRawIssue, { code: 'too_big' | 'too_small' }>,
  base: z.ZodType | undefined,
): string {
  const limit = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum)
  const more = issue.code === 'too_big'
  if (issue.origin === 'string')
    return more ? `must not be greater than ${limit} characters.` : `must be at least ${limit} characters.`
  if (issue.origin === 'array' || issue.origin === 'set')
    return more ? `must not have more than ${limit} items.` : `must have at least ${limit} items.`
  if (Math.abs(limit) === Number.MAX_SAFE_INTEGER) return 'must be an integer.'
  const { min, max } = numberBounds(base)
  if (min !== undefined && max !== undefined) return `must be between ${min} and ${max}.`
  return more ? `must not be greater than ${limit}.` : `must be at least ${limit}.`
}

/** Returns the inclusive bounds that a number schema declares. */
function numberBounds(schema: z.ZodType | undefined): { readonly min?: number; readonly max?: number } {
  const checks = (schema && schemaDefinition(schema).checks) ?? []
  const value = (check: string): number | undefined => checks.find((it) => it._zod.def.check === check)?._zod.def.value
  const [min, max] = [value('greater_than'), value('less_than')]
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}
