import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { PurchaseTable } from './tables.ts'

export type PurchaseRow = Selectable<PurchaseTable>
export type PurchaseState = PurchaseTable['state']

/** States in which a purchase holds its number; the partial unique index of the table says the same. */
export const activePurchaseStates = [
  'reserved',
  'paid',
  'provisioned',
  'owned',
  'refunding',
] as const satisfies readonly PurchaseState[]

/** Inserts unless a live purchase holds the number: undefined when one does. Safe against other processes through the unique index. */
export const reservePurchase = (query: Query, purchase: Insertable<PurchaseTable>): Promise<PurchaseRow | undefined> =>
  query
    .insertInto('purchase')
    .values(purchase)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()

export const findPurchase = (query: Query, id: number): Promise<PurchaseRow | undefined> =>
  query.selectFrom('purchase').selectAll().where('id', '=', id).executeTakeFirst()

/** The purchase a caller made under a key since a moment; keys older than that are forgotten. */
export const findPurchaseByKey = (
  query: Query,
  account: number,
  key: string,
  since: number,
): Promise<PurchaseRow | undefined> =>
  query
    .selectFrom('purchase')
    .selectAll()
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst()

/** Frees a key that was used before a moment. */
export async function releasePurchaseKey(query: Query, account: number, key: string, before: number): Promise<void> {
  await query
    .updateTable('purchase')
    .set({ idempotency_key: null })
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', before)
    .execute()
}

export const findActivePurchase = (query: Query, phoneNumber: string): Promise<PurchaseRow | undefined> =>
  query
    .selectFrom('purchase')
    .selectAll()
    .where('phone_number', '=', phoneNumber)
    .where('state', 'in', activePurchaseStates)
    .executeTakeFirst()

/** Moves a purchase on, if it is still in `from`; undefined when another process moved it first. */
export const transitionPurchase = (
  query: Query,
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

/** Lets the number go: an owned purchase whose number was released no longer holds it. */
export async function releasePurchase(query: Query, numberId: number, now: number): Promise<void> {
  await query
    .updateTable('purchase')
    .set({ state: 'released', updated_at: now })
    .where('number_id', '=', numberId)
    .where('state', '=', 'owned')
    .execute()
}
