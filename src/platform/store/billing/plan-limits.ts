import type { Query } from '../database/connection.ts'
import { readMeta, writeMeta } from '../database/meta.ts'

/** Prefix of the keys of plan limits. */
export const planKeyPrefix = 'plan.'
const campaignLimitKey = (account: number): string => `${planKeyPrefix}campaigns.${account}`

/** Returns the number of campaigns that the plan of an account allows; null for unlimited. */
export async function readCampaignLimit(query: Query, account: number): Promise<number | null> {
  const text = await readMeta(query, campaignLimitKey(account))
  return text === undefined ? null : Number(text)
}

/** Sets the number of campaigns that the plan of an account allows; null for unlimited. */
export const writeCampaignLimit = (query: Query, account: number, limit: number | null): Promise<void> =>
  limit === null ? deletePlanLimits(query, account) : writeMeta(query, campaignLimitKey(account), String(limit))

/** Removes all plan limits of an account. */
export const deletePlanLimits = async (query: Query, account: number): Promise<void> =>
  void (await query.deleteFrom('meta').where('key', '=', campaignLimitKey(account)).execute())
