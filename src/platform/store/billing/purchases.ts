import type { Insertable, Selectable, Updateable } from 'kysely'
import { findNamed, releaseName, takeName } from '../database/account-names.ts'
import type { AccountQuery, Connection, Query } from '../database/connection.ts'
import type { PurchaseTable } from './tables.ts'

export type PurchaseRow = Selectable<PurchaseTable>
/** Progress of a purchase: each step is stored before the next one, so that any process can continue it. */
export type PurchaseState = PurchaseTable['state']

/** States in which a purchase holds its number. The partial unique index of the table and `account-names.ts` list the same states. */
const activePurchaseStates = [
  'reserved',
  'paid',
  'provisioned',
  'owned',
  'refunding',
] as const satisfies readonly PurchaseState[]

const isActive = (state: PurchaseState): boolean => (activePurchaseStates as readonly PurchaseState[]).includes(state)

/**
 * Inserts a purchase. Returns undefined if an active purchase holds the number. The unique index makes this safe
 * between processes.
 */
export async function reservePurchase(
  query: AccountQuery,
  purchase: Insertable<PurchaseTable>,
): Promise<PurchaseRow | undefined> {
  const { account_id, phone_number } = purchase
  if (!(await takeName(query, 'purchase', phone_number, account_id))) return undefined
  const reserved = await query
    .insertInto('purchase')
    .values(purchase)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()
  // The idempotency key belongs to a purchase of another number.
  if (!reserved) await releaseName(query, 'purchase', phone_number, account_id)
  return reserved
}

/** Returns a purchase by id. */
export const findPurchase = (query: AccountQuery, id: number): Promise<PurchaseRow | undefined> =>
  query.selectFrom('purchase').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the active purchase that holds a number. */
export function findActivePurchase(
  connection: Pick<Connection, 'read' | 'write'>,
  phoneNumber: string,
): Promise<PurchaseRow | undefined> {
  const find = (query: Query) =>
    query
      .selectFrom('purchase')
      .selectAll()
      .where('phone_number', '=', phoneNumber)
      .where('state', 'in', activePurchaseStates)
      .executeTakeFirst()
  return findNamed(connection, 'purchase', phoneNumber, { own: find, any: find, accountOf: (it) => it.account_id })
}

/** Updates a purchase if it is still in state `from`; returns undefined if another process changed it first. */
export async function transitionPurchase(
  query: AccountQuery,
  id: number,
  from: PurchaseState,
  change: Updateable<PurchaseTable>,
): Promise<PurchaseRow | undefined> {
  const moved = await query
    .updateTable('purchase')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', from)
    .returningAll()
    .executeTakeFirst()
  if (moved && !isActive(moved.state)) await releaseName(query, 'purchase', moved.phone_number, moved.account_id)
  return moved
}

/** Marks the purchase of a released number as released, so that it no longer holds the number. */
export async function releasePurchase(query: AccountQuery, numberId: number, now: number): Promise<void> {
  const released = await query
    .updateTable('purchase')
    .set({ state: 'released', updated_at: now })
    .where('number_id', '=', numberId)
    .where('state', '=', 'owned')
    .returning(['account_id', 'phone_number'])
    .execute()
  for (const { phone_number, account_id } of released) await releaseName(query, 'purchase', phone_number, account_id)
}
