import { parseJson, stringifyJson } from '../../../node/json.ts'
import { findActionResult, insertActionResult } from '../../store/automations/action-results.ts'
import type { Query } from '../../store/database/connection.ts'

/** The account that acts, and the idempotency key of the action. */
export interface KeyedAction {
  readonly account: number
  /** Undefined makes every call a separate action. */
  readonly key: string | undefined
  readonly now: number
}

/**
 * Runs an action in the caller's transaction once for its key. Repeated calls return the result of the first, which is
 * stored as JSON.
 */
export async function runOnce<T>(
  query: Query,
  { account, key, now }: KeyedAction,
  action: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return action()
  const storedResult = await findActionResult(query, account, key)
  if (storedResult !== undefined) return parseJson(storedResult)
  const result = await action()
  await insertActionResult(query, { account, key, result: stringifyJson(result ?? null), now })
  return result
}
