import type * as z from 'zod'
import { defaultOf, isNullable, unwrap } from '../../../contract/endpoint/coerce.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import { usageError } from '../errors/usage-error.ts'

/**
 * Returns the listed fields of a resource that are set, in the order of `fields`. Files of `pull` have their fields in this order: a
 * field that moves in the contract moves in files of users.
 */
export const orderedFields = (record: ResourceRecord, fields: readonly string[]): ResourceRecord =>
  Object.fromEntries(
    fields.filter((name) => record[name] !== undefined && record[name] !== null).map((name) => [name, record[name]]),
  )

/**
 * Validates a document and returns its fields in order. A line without a value sets nothing. @throws ClientFailure
 * `usage` for unknown fields and for a missing name
 */
export function normalizeDocument(
  document: ResourceRecord,
  { shape }: z.ZodObject,
  file: string,
  nameField = 'name',
): ResourceRecord {
  const fields = Object.keys(shape)
  for (const name of Object.keys(document)) {
    if (fields.includes(name)) continue
    const guess = closestMatch(name, fields)
    throw usageError(
      `${file}: unknown field "${name}"${guess ? `. Did you mean ${guess}?` : '.'}`,
      'Nothing was changed.',
    )
  }
  if (typeof document[nameField] !== 'string' || document[nameField] === '')
    throw usageError(`${file}: ${nameField} is missing.`, 'Nothing was changed.')
  const isSet = ([name, value]: [string, unknown]): boolean =>
    value !== '' || unwrap(shape[name] as z.ZodType).kind === 'string'
  return orderedFields(Object.fromEntries(Object.entries(document).filter(isSet)), fields)
}

/**
 * Returns the values that clear the named fields, which were removed from a file: null, the default of a new resource,
 * or an empty list or object. A field without any of these is omitted and keeps its value.
 */
export function clearedFields(changes: z.ZodObject, document: z.ZodObject, names: readonly string[]): ResourceRecord {
  const schemaOf = (of: z.ZodObject, name: string): z.ZodType | undefined =>
    Object.hasOwn(of.shape, name) ? (of.shape[name] as z.ZodType) : undefined
  return Object.fromEntries(
    names.flatMap((name) => {
      const [change, fresh] = [schemaOf(changes, name), schemaOf(document, name)]
      if (change && isNullable(change)) return [[name, null]]
      const usual = fresh && defaultOf(fresh)
      if (usual !== undefined) return [[name, usual]]
      const kind = change && unwrap(change).kind
      return kind === 'array' ? [[name, []]] : kind === 'record' ? [[name, {}]] : []
    }),
  )
}
