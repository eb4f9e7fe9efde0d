import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { SubscriptionTable } from './tables.ts'

export type SubscriptionRow = Selectable<SubscriptionTable>

/** Inserts a subscription. */
export const insertSubscription = (
  query: Query,
  subscription: Insertable<SubscriptionTable>,
): Promise<SubscriptionRow> =>
  query.insertInto('subscription').values(subscription).returningAll().executeTakeFirstOrThrow()

/** Returns a subscription by id. */
export const findSubscription = (query: Query, id: number): Promise<SubscriptionRow | undefined> =>
  query.selectFrom('subscription').selectAll().where('id', '=', id).executeTakeFirst()

/** Updates a subscription that is unchanged; returns false if it was changed first. */
export async function transitionSubscription(
  query: Query,
  from: SubscriptionRow,
  change: Updateable<SubscriptionTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('subscription')
    .set(change)
    .where('id', '=', from.id)
    .where('status', '=', from.status)
    .where('period_end', '=', from.period_end)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
