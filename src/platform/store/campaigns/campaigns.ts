// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Insertable, Selectable, Updateable } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { CampaignStatus, CampaignTable } from './tables.ts'

export type CampaignRow = Selectable<CampaignTable>

/** Campaign and the ids of the numbers it calls from, in order. */
export interface CampaignWithNumbers {
  readonly row: CampaignRow
  readonly numbers: readonly number[]
}

/** Statuses of a campaign that contacts people, now or at its start: those of isRunningCampaign of the contract. */
export const runningStatuses = ['scheduled', 'in-progress'] as const satisfies readonly CampaignStatus[]

const activeCampaigns = (query: AccountQuery) =>
  query.selectFrom('campaign').where('account_id', '=', query.account).where('deleted_at', 'is', null)

async function withNumbers(query: AccountQuery, rows: readonly CampaignRow[]): Promise<CampaignWithNumbers[]> {
  const links = await query
    .selectFrom('campaign_number')
    .selectAll()
    .where('account_id', '=', query.account)
    .orderBy('position')
    .execute()
  const numbers = new Map(rows.map(({ id }): [number, number[]] => [id, []]))
  for (const { campaign_id, number_id } of links) numbers.get(campaign_id)?.push(number_id)
  return rows.map((row) => ({ row, numbers: numbers.get(row.id) ?? [] }))
}

/** Returns the campaigns of an account with their numbers. */
export const listCampaigns = async (query: AccountQuery): Promise<CampaignWithNumbers[]> =>
  withNumbers(query, await activeCampaigns(query).selectAll().orderBy('id').execute())

const campaignByIdQuery = compiledQuery(
  (query: AccountQuery, id: number) => activeCampaigns(query).selectAll().where('id', '=', id),
  { isSingleRow: true, cacheTable: 'campaign' },
)

/** Returns a campaign of an account that is not being deleted. */
export const findCampaign = async (query: AccountQuery, id: number): Promise<CampaignRow | undefined> =>
  (await campaignByIdQuery(query, id))[0]

/** Returns a campaign of an account with its numbers. */
export async function findCampaignWithNumbers(
  query: AccountQuery,
  id: number,
): Promise<CampaignWithNumbers | undefined> {
  const row = await findCampaign(query, id)
  return row && (await withNumbers(query, [row]))[0]
}

/** Inserts a campaign with its numbers. */
export async function insertCampaign(
  query: AccountQuery,
  campaign: Insertable<CampaignTable>,
  numbers: readonly number[],
): Promise<CampaignRow> {
  const row = await query.insertInto('campaign').values(campaign).returningAll().executeTakeFirstOrThrow()
  await insertCampaignNumbers(query, row, numbers)
  return row
}

async function insertCampaignNumbers(
  query: AccountQuery,
  { account_id, id: campaign_id }: CampaignRow,
  numbers: readonly number[],
): Promise<void> {
  const links = [...new Set(numbers)].map((number_id, position) => ({ account_id, campaign_id, number_id, position }))
  if (links.length > 0) await query.insertInto('campaign_number').values(links).execute()
}

/** Replaces the numbers that a campaign calls from. */
export async function replaceCampaignNumbers(
  query: AccountQuery,
  campaign: CampaignRow,
  numbers: readonly number[],
): Promise<void> {
  await query.deleteFrom('campaign_number').where('campaign_id', '=', campaign.id).execute()
  await insertCampaignNumbers(query, campaign, numbers)
}

/** Updates a campaign. If its status has changed since it was read, nothing happens: the other change stays. */
export async function transitionCampaign(
  query: AccountQuery,
  from: CampaignRow,
  change: Updateable<CampaignTable>,
): Promise<void> {
  await query
    .updateTable('campaign')
    .set(change)
    .where('account_id', '=', from.account_id)
    .where('id', '=', from.id)
    .where('status', '=', from.status)
    .execute()
}

/** Returns the number of campaigns of an account. */
export const countCampaigns = async (query: AccountQuery): Promise<number> =>
  Number(
    (
      await activeCampaigns(query)
        .select((it) => it.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

/** Returns a campaign that is being deleted. */
export const findDeletedCampaign = (query: AccountQuery, id: number): Promise<CampaignRow | undefined> =>
  query.selectFrom('campaign').selectAll().where('id', '=', id).where('deleted_at', 'is not', null).executeTakeFirst()

/** Deletes up to `limit` leads of a campaign that is being deleted, finally the campaign. Returns true at the end. */
export async function deleteCampaignBatch(
  query: AccountQuery,
  { id, account_id }: CampaignRow,
  limit: number,
): Promise<boolean> {
  // Ordered by an index, so that both statements select the same leads.
  const some = query
    .selectFrom('lead')
    .select('id')
    .where('campaign_id', '=', id)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
  await query.deleteFrom('lead_contact').where('lead_id', 'in', some).execute()
  const { numDeletedRows } = await query.deleteFrom('lead').where('id', 'in', some).executeTakeFirst()
  if (numDeletedRows === BigInt(limit)) return false
  await query.deleteFrom('campaign_number').where('campaign_id', '=', id).execute()
  await query.deleteFrom('lead_count').where('account_id', '=', account_id).where('campaign_id', '=', id).execute()
  await query.deleteFrom('campaign').where('id', '=', id).execute()
  return true
}

/**
 * Removes a number from every campaign, before it is deleted. A running campaign that sends from it is paused, because
 * it has no sender anymore.
 */
export async function detachCampaignNumber(query: AccountQuery, number: number): Promise<void> {
  await query
    .deleteFrom('campaign_number')
    .where('account_id', '=', query.account)
    .where('number_id', '=', number)
    .execute()
  const own = query.updateTable('campaign').where('account_id', '=', query.account)
  await own.set({ fallback_number_id: null }).where('fallback_number_id', '=', number).execute()
  await own
    .set({ status: 'paused' })
    .where('sms_number_id', '=', number)
    .where('status', 'in', runningStatuses)
    .execute()
  await own.set({ sms_number_id: null }).where('sms_number_id', '=', number).execute()
}

/**
 * Removes an assistant from every campaign, before it is deleted. Its running campaigns are paused, because they have
 * no assistant anymore.
 */
export async function detachCampaignAssistant(query: AccountQuery, assistant: number): Promise<void> {
  const own = query
    .updateTable('campaign')
    .where('account_id', '=', query.account)
    .where('assistant_id', '=', assistant)
  await own.set({ status: 'paused' }).where('status', 'in', runningStatuses).execute()
  await own.set({ assistant_id: null }).execute()
}
