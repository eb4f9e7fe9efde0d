import type * as z from 'zod'
import { defaultOf, isNullable, unwrap } from '../../../contract/mechanics/coerce.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'

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
