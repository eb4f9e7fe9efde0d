import type * as z from 'zod'
import { defaultOf, isNullable, unwrap } from '../../contract/coerce.ts'
import type { Known } from '../before.ts'

/** Fields that were taken out of a file: not set any more, as they are in a new thing, or empty. What can be neither stays. */
export function cleared(changes: z.ZodObject, document: z.ZodObject, names: readonly string[]): Known {
  const own = (of: z.ZodObject, name: string): z.ZodType | undefined => (Object.hasOwn(of.shape, name) ? (of.shape[name] as z.ZodType) : undefined)
  return Object.fromEntries(
    names.flatMap((name) => {
      const [change, fresh] = [own(changes, name), own(document, name)]
      if (change && isNullable(change)) return [[name, null]]
      const usual = fresh && defaultOf(fresh)
      if (usual !== undefined) return [[name, usual]]
      const kind = change && unwrap(change).kind
      return kind === 'array' ? [[name, []]] : kind === 'record' ? [[name, {}]] : []
    }),
  )
}
