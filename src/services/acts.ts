import { findAct, insertAct } from '../store/automation-values.ts'
import type { Query } from '../store/connection.ts'

/** Who acts, and the key under which the same is done once. */
export interface KeyedAct {
  readonly account: number
  /** Undefined where every call is another. */
  readonly key: string | undefined
  readonly now: number
}

/** Does something in the caller's transaction, once for its key: whoever asks again is given the first answer. What it gives is kept as JSON. */
export async function onceFor<T>(query: Query, { account, key, now }: KeyedAct, act: () => Promise<T>): Promise<T> {
  if (key === undefined) return act()
  const before = await findAct(query, account, key)
  if (before !== undefined) return JSON.parse(before) as T
  const result = await act()
  await insertAct(query, { account, key, result: JSON.stringify(result ?? null), now })
  return result
}
