import type * as z from 'zod'
import { stringifyJson } from '../../node/json.ts'
import { isObject } from '../values/json-object.ts'
import { allowedValues, isNullable, isRequired, schemaDefinition, unionMember, unwrap } from './coerce.ts'
import type { Endpoint } from './endpoint.ts'
import { normalizeResponse } from './normalize-response.ts'

/**
 * Difference between a response and the contract. Indexes in the path are written `*`. `doctor --conformance` prints it
 * as JSON: fields are added, not renamed.
 */
export interface Difference {
  readonly path: string
  readonly expected: string
  readonly seen: string
  /** Whether the client understands the value anyway. */
  readonly tolerated: boolean
}

/** Describes the type of a value without its content, which may be secret. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return value !== '' && Number.isFinite(Number(value)) ? 'a number as text' : 'text'
  return typeof value === 'number' || typeof value === 'bigint' ? 'a number' : 'true or false'
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function expectedShape(schema: z.ZodType): string {
  const { kind } = unwrap(schema)
  const words = allowedValues(schema)
  const orNull = isNullable(schema) && kind !== 'null' ? ' or null' : ''
  return `${words ? words.map((it) => stringifyJson(it)).join(', ') : (kinds[kind] ?? 'one of several types')}${orNull}`
}

/**
 * Returns every difference between a response and the contract. Pass the response unchanged, in neutral words. An
 * additional field in `absent` is not tolerated.
 */
export function compareWithContract(
  endpoint: Endpoint,
  answer: unknown,
  absent: ReadonlySet<string> = new Set(),
): readonly Difference[] {
  const found = new Map<string, Difference>()
  const add = (difference: Difference): void => {
    const key = `${difference.path} ${difference.expected} ${difference.seen}`
    const isAbsent = difference.expected === 'nothing' && absent.has(difference.path.split('.').at(-1) ?? '')
    if (!found.has(key)) found.set(key, isAbsent ? { ...difference, tolerated: false } : difference)
  }
  if (endpoint.paged && isObject(answer) && Object.hasOwn(answer, 'next_cursor') && Array.isArray(answer.data)) {
    add({ path: '.', expected: 'numbered pages', seen: 'cursor pages', tolerated: true })
    const { data } = schemaDefinition(unwrap(endpoint.output).base).shape ?? {}
    if (data) compare(data, answer.data, 'data', add)
  } else compare(endpoint.output, answer, '', add)
  return [...found.values()]
}

/** Returns whether the name of an undocumented field suggests a secret. Such an additional field is not tolerated. */
const isSecretField = (name: string): boolean =>
  /(^|_)(token|secret|password|passwd|passphrase|credentials?|api_?key|private_?key|authorization|hash)(_|$)/i.test(
    name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'),
  )

type Add = (difference: Difference) => void

function compare(schema: z.ZodType, value: unknown, path: string, add: Add): void {
  const differs = (tolerated: boolean, expected = expectedShape(schema)): void =>
    add({ path: path || '.', expected, seen: describeValue(value), tolerated })
  if (value === undefined) {
    if (isRequired(schema)) differs(false)
    return
  }
  if (value === null) {
    if (!isNullable(schema)) differs(false)
    return
  }
  const { base, kind } = unwrap(schema)
  const def = schemaDefinition(base)
  const meant = normalizeResponse(schema, value)
  if (kind === 'array' && def.element && Array.isArray(meant)) {
    if (!Array.isArray(value)) differs(true)
    for (const item of Array.isArray(value) ? value : meant)
      compare(def.element, item, path === '' ? '*' : `${path}.*`, add)
  } else if (kind === 'object' && isObject(meant)) {
    if (!isObject(value)) differs(true)
    compareFields(base, isObject(value) ? value : meant, path, add)
  } else if (kind === 'record' && isObject(meant)) {
    if (!isObject(value)) differs(true)
  } else if (kind === 'union') {
    compareUnion(schema, value, path, add)
  } else if (!schema.safeParse(value).success) {
    const isUnderstood = schema.safeParse(meant).success
    const isRightKind = describeValue(value) === kinds[kind] || (kind === 'integer' && typeof value === 'number')
    if (isRightKind && !allowedValues(schema))
      add({
        path: path || '.',
        expected: `${expectedShape(schema)} in the documented format`,
        seen: 'another format',
        tolerated: false,
      })
    else
      add({
        path: path || '.',
        expected: expectedShape(schema),
        seen: allowedValues(schema) ? stringifyJson(value) : describeValue(value),
        tolerated: isUnderstood,
      })
  }
}

function compareFields(base: z.ZodType, value: Readonly<Record<string, unknown>>, path: string, add: Add): void {
  const def = schemaDefinition(base)
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const [name, schema] of Object.entries(def.shape ?? {}))
    compare(schema, Object.hasOwn(value, name) ? value[name] : undefined, below(name), add)
  const isOpen = def.catchall !== undefined && schemaDefinition(def.catchall).type !== 'never'
  if (isOpen) return
  for (const name of Object.keys(value))
    if (!Object.hasOwn(def.shape ?? {}, name))
      add({ path: below(name), expected: 'nothing', seen: describeValue(value[name]), tolerated: !isSecretField(name) })
}

/** Adds the differences from the union member with the fewest differences. */
function compareUnion(schema: z.ZodType, value: unknown, path: string, add: Add): void {
  const { base } = unwrap(schema)
  const meant = normalizeResponse(schema, value)
  const certain = unionMember(base, meant)
  if (certain && meant !== value && !schema.safeParse(value).success)
    add({ path: path || '.', expected: 'flat fields', seen: 'nested fields', tolerated: true })
  const members = certain ? [certain] : (schemaDefinition(base).options ?? [])
  const tried = members.map((member) => {
    const found: Difference[] = []
    compare(member, certain ? meant : value, path, (it) => found.push(it))
    return found
  })
  const weight = (found: readonly Difference[]): number =>
    found.filter((it) => !it.tolerated).length * 1000 + found.length
  const [nearest = []] = tried.sort((a, b) => weight(a) - weight(b))
  for (const difference of nearest) add(difference)
}
