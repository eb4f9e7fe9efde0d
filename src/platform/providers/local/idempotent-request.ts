import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { PlatformQuery } from '../../store/database/connection.ts'

/**
 * An idempotency key was reused with another request. This is a bug of the caller, so it is thrown and never returned
 * as an outcome.
 */
export class IdempotencyKeyReused extends Error {
  constructor(key: string) {
    super(`The key "${key}" was used with another request.`)
    this.name = 'IdempotencyKeyReused'
  }
}

/**
 * Runs an action once for a key, in the caller's transaction. Repeated calls return the first result. Rows have the request and
 * the result as JSON: a request whose fields are renamed or in another order is refused when it is repeated after an update.
 * @throws IdempotencyKeyReused
 */
export async function runOnce<T>(
  query: PlatformQuery,
  key: string,
  request: unknown,
  action: () => Promise<T>,
): Promise<T> {
  const requestJson = stringifyJson(request)
  const stored = await query.selectFrom('local_act').selectAll().where('key', '=', key).executeTakeFirst()
  if (stored && stored.request !== requestJson) throw new IdempotencyKeyReused(key)
  if (stored) return parseJson(stored.result) as T
  const result = await action()
  await query
    .insertInto('local_act')
    .values({ key, request: requestJson, result: stringifyJson(result) })
    .execute()
  return result
}

/** Returns the digits of a phone number, for comparisons. */
export const toDigits = (phone: string): string => phone.replace(/\D/g, '')
