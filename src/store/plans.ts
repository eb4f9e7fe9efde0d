import type { Query } from './connection.ts'
import { readMeta, writeMeta } from './meta.ts'

/** What every name of a plan's limit begins with. */
export const planPrefix = 'plan.'
const campaignsOf = (account: number): string => `${planPrefix}campaigns.${account}`

/** How many campaigns the plan of an account allows; null for any number. */
export async function readCampaignLimit(query: Query, account: number): Promise<number | null> {
  const text = await readMeta(query, campaignsOf(account))
  return text === undefined ? null : Number(text)
}

export const writeCampaignLimit = (query: Query, account: number, limit: number | null): Promise<void> =>
  limit === null ? forgetPlan(query, account) : writeMeta(query, campaignsOf(account), String(limit))

/** Any number of everything again. */
export const forgetPlan = async (query: Query, account: number): Promise<void> =>
  void (await query.deleteFrom('meta').where('key', '=', campaignsOf(account)).execute())
