import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery, PlatformQuery, Query } from '../database/connection.ts'
import { readMeta, writeMeta } from '../database/meta.ts'
import type { SubscriptionTable } from './tables.ts'

export type SubscriptionRow = Selectable<SubscriptionTable>

/** Kind of the job that renews a subscription. The subject is the subscription's id. Its rows have this name, so it never changes. */
export const subscriptionJobKind = 'subscription'

/** Inserts a subscription. */
export const insertSubscription = (
  query: AccountQuery,
  subscription: Insertable<SubscriptionTable>,
): Promise<SubscriptionRow> =>
  query.insertInto('subscription').values(subscription).returningAll().executeTakeFirstOrThrow()

/** Returns a subscription by id. */
export const findSubscription = (query: AccountQuery, id: number): Promise<SubscriptionRow | undefined> =>
  query.selectFrom('subscription').selectAll().where('id', '=', id).executeTakeFirst()

/** Updates a subscription that is unchanged; returns false if it was changed first. */
export async function transitionSubscription(
  query: AccountQuery,
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

/** Prefix of the keys of plan limits. Stored: it never changes. */
export const planKeyPrefix = 'plan.'
const campaignLimitKey = (account: number): string => `${planKeyPrefix}campaigns.${account}`

/** Returns the number of campaigns that the plan of an account allows; null for unlimited. */
export async function readCampaignLimit(query: AccountQuery): Promise<number | null> {
  const text = await readMeta(query, campaignLimitKey(query.account))
  return text === undefined ? null : Number(text)
}

/**
 * Sets the number of campaigns that the plan of an account allows; null for unlimited. Not in a transaction of the account,
 * whose rows may lie on another node.
 */
export const writeCampaignLimit = (query: PlatformQuery, account: number, limit: number | null): Promise<void> =>
  limit === null ? deletePlanLimits(query, account) : writeMeta(query, campaignLimitKey(account), String(limit))

/** Removes all plan limits of an account. */
export const deletePlanLimits = async (query: Query, account: number): Promise<void> =>
  void (await query.deleteFrom('meta').where('key', '=', campaignLimitKey(account)).execute())
