import type { Query } from '../store/connection.ts'
import { KeyReused } from './key-reused.ts'

/** Does something once for a key, in the caller's transaction, and gives the first answer whenever it is asked again. Throws KeyReused. */
export async function once<T>(query: Query, key: string, request: unknown, act: () => Promise<T>): Promise<T> {
  const asked = JSON.stringify(request)
  const known = await query.selectFrom('local_act').selectAll().where('key', '=', key).executeTakeFirst()
  if (known && known.request !== asked) throw new KeyReused(key)
  if (known) return JSON.parse(known.result) as T
  const result = await act()
  await query
    .insertInto('local_act')
    .values({ key, request: asked, result: JSON.stringify(result) })
    .execute()
  return result
}

/** A number as it is compared: its digits alone. */
export const digitsOf = (phone: string): string => phone.replace(/\D/g, '')
