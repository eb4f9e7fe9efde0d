import { findActionResult, insertActionResult } from '../../store/automations/action-results.ts'
import type { Query } from '../../store/database/connection.ts'

/** Who acts, and the key under which the same is done once. */
export interface KeyedAction {
  readonly account: number
  /** Undefined where every call is another. */
  readonly key: string | undefined
  readonly now: number
}

/** Does something in the caller's transaction, once for its key: whoever asks again is given the first answer. What it gives is kept as JSON. */
export async function runOnce<T>(
  query: Query,
  { account, key, now }: KeyedAction,
  action: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return action()
  const storedResult = await findActionResult(query, account, key)
  if (storedResult !== undefined) return JSON.parse(storedResult) as T
  const result = await action()
  await insertActionResult(query, { account, key, result: JSON.stringify(result ?? null), now })
  return result
}
