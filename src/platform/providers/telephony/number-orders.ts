import type { ProviderResult } from '../../../engine/ports.ts'
import type { PlatformQuery } from '../../store/database/connection.ts'
import type { LocalOrderTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'

/**
 * A row of `local_order`, one for each key:
 * - an active order, which holds its number: `sid`, not `released`
 * - a released order: `sid`, `released`
 * - a refused order: no `sid`, a `failure`
 * - a release: no `sid`, `released`, and a `failure` when there was nothing to release
 */
type OrderRecord = LocalOrderTable

/** Returns the provider's id of the order with this key. Rows of orders, also those of the sample data, have it: it never changes. */
export const orderSid = (key: string): string => `PN${digest(key, 32)}`

const isRelease = (line: OrderRecord): boolean => line.sid === null && line.released === 1

const liveOrders = (query: PlatformQuery) =>
  query.selectFrom('local_order').select('phone_number').where('sid', 'is not', null).where('released', '=', 0)

/** Returns the numbers of a calling code that are ordered and not released. */
export async function listOrderedNumbers(query: PlatformQuery, callingCode: string): Promise<ReadonlySet<string>> {
  const next = `+${Number(callingCode) + 1}`
  const lines = await liveOrders(query)
    .where('phone_number', '>=', `+${callingCode}`)
    .where('phone_number', '<', next)
    .execute()
  return new Set(lines.map((line) => line.phone_number))
}

/** Returns whether the number is ordered and not released. */
export async function isOrdered(query: PlatformQuery, phoneNumber: string): Promise<boolean> {
  return (await liveOrders(query).where('phone_number', '=', phoneNumber).executeTakeFirst()) !== undefined
}

/**
 * Orders the number, or stores the refusal: `refusal` if given, else that the number is already ordered. @throws
 * IdempotencyKeyReused
 */
export async function orderNumber(
  query: PlatformQuery,
  key: string,
  phoneNumber: string,
  refusal: string | null,
): Promise<ProviderResult<{ readonly sid: string }>> {
  const known = await findOrder(query, key)
  if (known) {
    if (known.phone_number !== phoneNumber || isRelease(known)) throw new IdempotencyKeyReused(key)
    return known.sid === null ? refused(known.failure) : { ok: true, sid: known.sid }
  }
  const failure = refusal ?? ((await isOrdered(query, phoneNumber)) ? 'The number is already ordered.' : null)
  const sid = failure === null ? orderSid(key) : null
  await insertOrder(query, { key, phone_number: phoneNumber, sid, failure, released: 0 })
  return sid === null ? refused(failure) : { ok: true, sid }
}

/** Releases the order of the number, or stores that there is none. @throws IdempotencyKeyReused */
export async function releaseNumber(
  query: PlatformQuery,
  key: string,
  phoneNumber: string,
): Promise<ProviderResult<object>> {
  const known = await findOrder(query, key)
  if (known) {
    if (known.phone_number !== phoneNumber || !isRelease(known)) throw new IdempotencyKeyReused(key)
    return known.failure === null ? { ok: true } : refused(known.failure)
  }
  const held = query
    .updateTable('local_order')
    .where('phone_number', '=', phoneNumber)
    .where('sid', 'is not', null)
    .where('released', '=', 0)
  const freed = await held.set({ released: 1 }).returning('key').executeTakeFirst()
  const failure = freed ? null : 'The number is not on order.'
  await insertOrder(query, { key, phone_number: phoneNumber, sid: null, failure, released: 1 })
  return failure === null ? { ok: true } : refused(failure)
}

const findOrder = (query: PlatformQuery, key: string): Promise<OrderRecord | undefined> =>
  query.selectFrom('local_order').selectAll().where('key', '=', key).executeTakeFirst()

const insertOrder = (query: PlatformQuery, line: OrderRecord) => query.insertInto('local_order').values(line).execute()

const refused = (failure: string | null): { readonly ok: false; readonly reason: string } => ({
  ok: false,
  reason: failure ?? 'Refused.',
})
