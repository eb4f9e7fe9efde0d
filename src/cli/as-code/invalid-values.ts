import type * as z from 'zod'
import { allowedValues, schemaDefinition, unionMember, unwrap } from '../../contract/mechanics/coerce.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { stringifyJson } from '../../node/json.ts'
import { usageError } from '../errors/usage-error.ts'
import type { SyncEntry } from './compare-folder.ts'

/**
 * Rejects values that a field does not allow, at any depth of the fields that would be sent. @throws ClientFailure
 * `usage` with file, field and allowed values
 */
export function rejectInvalidValues({ kind, local, remote, fields }: SyncEntry, path: string): void {
  const content = local?.content ?? {}
  for (const name of remote ? fields : Object.keys(content)) {
    if (!Object.hasOwn(kind.documentSchema.shape, name)) continue
    const found = findInvalidValue(kind.documentSchema.shape[name] as z.ZodType, content[name], name)
    if (found)
      throw usageError(
        `${path}: ${found.at}: Invalid value ${stringifyJson(found.value)}. Use one of ${found.values.join(', ')}.`,
        'Nothing was changed.',
      )
  }
}

interface InvalidValue {
  readonly at: string
  readonly value: unknown
  readonly values: readonly string[]
}

/**
 * Returns the first value that is not among the allowed values of its schema. Other errors are left to the platform.
 */
function findInvalidValue(schema: z.ZodType, value: unknown, at: string): InvalidValue | undefined {
  if (value === null || value === undefined) return undefined
  const values = allowedValues(schema)?.map(String)
  if (values) return values.includes(String(value)) ? undefined : { at, value, values }
  const { base, kind } = unwrap(schema)
  if (kind === 'union') return findInvalidInUnion(base, value, at)
  const { element, shape, valueType } = schemaDefinition(base)
  if (Array.isArray(value))
    return element && findFirst(value.entries(), ([n, it]) => findInvalidValue(element, it, `${at}.${n}`))
  if (!isObject(value)) return undefined
  return findFirst(Object.entries(value), ([name, it]) => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : valueType
    return field && findInvalidValue(field, it, `${at}.${name}`)
  })
}

function findInvalidInUnion(union: z.ZodType, value: unknown, at: string): InvalidValue | undefined {
  const member = unionMember(union, value)
  if (member) return findInvalidValue(member, value, at)
  const { options = [], discriminator } = schemaDefinition(union)
  if (discriminator === undefined || !isObject(value) || value[discriminator] === undefined) return undefined
  return {
    at: `${at}.${discriminator}`,
    value: value[discriminator],
    values: options.flatMap((it) => discriminatorValues(it, discriminator)),
  }
}

/** Returns the values of a discriminator that select an option of a union. */
function discriminatorValues(option: z.ZodType, discriminator: string): string[] {
  const { base } = unwrap(option)
  const { options, shape } = schemaDefinition(base)
  if (options) return options.flatMap((it) => discriminatorValues(it, discriminator))
  const field = shape?.[discriminator]
  return ((field && allowedValues(field)) ?? []).map(String)
}

function findFirst<T>(items: Iterable<T>, find: (it: T) => InvalidValue | undefined): InvalidValue | undefined {
  for (const it of items) {
    const found = find(it)
    if (found) return found
  }
  return undefined
}
