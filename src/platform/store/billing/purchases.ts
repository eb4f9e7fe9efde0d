import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery, PlatformQuery } from '../database/connection.ts'
import type { PurchaseTable } from './tables.ts'

export type PurchaseRow = Selectable<PurchaseTable>
/** Progress of a purchase: each step is stored before the next one, so that any process can continue it. */
export type PurchaseState = PurchaseTable['state']

/** States in which a purchase holds its number. The partial unique index of the table lists the same states. */
const activePurchaseStates = [
  'reserved',
  'paid',
  'provisioned',
  'owned',
  'refunding',
] as const satisfies readonly PurchaseState[]

/**
 * Inserts a purchase. Returns undefined if an active purchase holds the number. The unique index makes this safe
 * between processes.
 */
export const reservePurchase = (
  query: AccountQuery,
  purchase: Insertable<PurchaseTable>,
): Promise<PurchaseRow | undefined> =>
  query
    .insertInto('purchase')
    .values(purchase)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Returns a purchase by id. */
export const findPurchase = (query: AccountQuery, id: number): Promise<PurchaseRow | undefined> =>
  query.selectFrom('purchase').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the active purchase that holds a number. */
export const findActivePurchase = (query: PlatformQuery, phoneNumber: string): Promise<PurchaseRow | undefined> =>
  query
    .selectFrom('purchase')
    .selectAll()
    .where('phone_number', '=', phoneNumber)
    .where('state', 'in', activePurchaseStates)
    .executeTakeFirst()

/** Updates a purchase if it is still in state `from`; returns undefined if another process changed it first. */
export const transitionPurchase = (
  query: AccountQuery,
  id: number,
  from: PurchaseState,
  change: Updateable<PurchaseTable>,
): Promise<PurchaseRow | undefined> =>
  query
    .updateTable('purchase')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', from)
    .returningAll()
    .executeTakeFirst()

/** Marks the purchase of a released number as released, so that it no longer holds the number. */
export async function releasePurchase(query: AccountQuery, numberId: number, now: number): Promise<void> {
  await query
    .updateTable('purchase')
    .set({ state: 'released', updated_at: now })
    .where('number_id', '=', numberId)
    .where('state', '=', 'owned')
    .execute()
}
