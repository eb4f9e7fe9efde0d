import type { Query } from '../database/connection.ts'
import type { LeadRow } from './leads.ts'
import type { LeadStatus } from './tables.ts'

/** Returns the leads of a campaign that are due by a time, the longest waiting first. */
export const listDueLeads = (
  query: Query,
  campaign: number,
  waiting: readonly LeadStatus[],
  until: number,
  limit: number,
): Promise<LeadRow[]> =>
  query
    .selectFrom('lead')
    .selectAll()
    .where('campaign_id', '=', campaign)
    .where('next_attempt_at', '<=', until)
    .where('status', 'in', waiting)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns the time when the next lead of a campaign is due; undefined if none is. */
export async function nextLeadDueAt(
  query: Query,
  campaign: number,
  waiting: readonly LeadStatus[],
): Promise<number | undefined> {
  const row = await query
    .selectFrom('lead')
    .select('next_attempt_at')
    .where('campaign_id', '=', campaign)
    .where('next_attempt_at', 'is not', null)
    .where('status', 'in', waiting)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? undefined
}

/** Returns the leads of a campaign that are being processed. */
export const listProcessingLeads = (query: Query, campaign: number): Promise<LeadRow[]> =>
  query
    .selectFrom('lead')
    .selectAll()
    .where('campaign_id', '=', campaign)
    .where('status', '=', 'processing')
    .orderBy('id')
    .execute()

/** Returns a lead of any account. */
export const findLeadById = (query: Query, id: number): Promise<LeadRow | undefined> =>
  query.selectFrom('lead').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns whether a campaign has any lead. */
export const hasLeads = async (query: Query, campaign: number): Promise<boolean> =>
  (await query.selectFrom('lead').select('id').where('campaign_id', '=', campaign).limit(1).executeTakeFirst()) !==
  undefined
