// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { stringifyJson } from '../../../node/json.ts'
import { dayStartPosition, maxPosition, positionSql } from '../counters/counted-list.ts'
import { leadList, recipientSettingsSql } from '../counters/counted-lists.ts'
import { type CountedPage, createPageReader, type PageQuery } from '../counters/counted-pages.ts'
import { accountQuery, isSqlite } from '../database/account-query.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { CampaignRow } from './campaigns.ts'
import { findByPhoneBlocks, hasPhoneParts, type PhoneSearch } from './phone-search.ts'
import type { Channel, LeadContactTable, LeadStatus, LeadTable } from './tables.ts'

export type LeadRow = Selectable<LeadTable>
export type LeadContactRow = Selectable<LeadContactTable>
/** Lead as lists show it. */
export type ListedLeadRow = LeadRow & {
  readonly campaign_name: string
  readonly campaign_channel: Channel
  /** Settings of the campaign, if its hours or those of the account depend on the lead. */
  readonly recipient_settings: CampaignRow['settings'] | null
}

/** Query for a page of leads. */
interface LeadQuery extends PageQuery {
  readonly filters: { readonly campaign_id?: number | undefined; readonly status?: LeadStatus | undefined }
  /** Part of the phone number, in any notation. */
  readonly phone?: string | undefined
}

const readLeadPage = createPageReader<ListedLeadRow>(leadList)

/**
 * Returns a page of leads, newest first, and the total. A search for part of a number takes longer the more leads have it.
 */
export const listLeads = (query: AccountQuery, leadQuery: LeadQuery): Promise<CountedPage<ListedLeadRow>> =>
  leadQuery.phone === undefined
    ? readLeadPage(query, leadQuery)
    : searchLeads(query, leadQuery, leadQuery.phone.replace(/(?!^\+)\D/g, ''))

/** Up to this many matches are sorted. Of more, the newest are found soon in the order of the position index. */
const maxSortedLeads = 1000

/**
 * Searches leads by part of a number. A part with a plus sign can only be a prefix, which an index finds. Each database has
 * other indexes for parts of at least three or four digits; shorter ones are compared with every number.
 */
async function searchLeads(
  query: AccountQuery,
  { account, filters, fromDay, toDay, offset, limit }: LeadQuery,
  digits: string,
): Promise<CountedPage<ListedLeadRow>> {
  if (digits === '' || digits === '+') return { rows: [], total: 0 }
  const position = sql.raw(positionSql('r.'))
  const range = [
    dayStartPosition(fromDay ?? 0),
    toDay === undefined ? maxPosition : dayStartPosition(toDay + 1) - 1,
  ] as const
  const { campaign_id: campaign, status } = filters
  const candidates = query
    .selectFrom('lead as r')
    .where('r.account_id', '=', account)
    .$if(campaign !== undefined, (it) => it.where('r.campaign_id', '=', campaign as number))
    .$if(digits.startsWith('+'), (query) =>
      query.where('r.phone_number', '>=', digits).where('r.phone_number', '<', `${digits}:`),
    )
    .$if(!digits.startsWith('+'), (it) => it.where('r.phone_number', 'like', `%${digits}%`))
  const indexed = await withIndex(query, candidates, { account, campaign, digits })
  const within = <T extends typeof candidates>(query: T): T => {
    const inRange = query.$if(fromDay !== undefined || toDay !== undefined, (one) =>
      one.where(sql<boolean>`${position} between ${range[0]} and ${range[1]}`),
    )
    return inRange.$if(status !== undefined, (one) => one.where('r.status', '=', status as LeadStatus)) as T
  }
  const found = within(query.selectFrom('lead as r').where('r.id', 'in', indexed.select('r.id')))
  const isBare = status === undefined && fromDay === undefined && toDay === undefined
  const { n } = await (isBare ? indexed : found)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  const total = Number(n)
  const rows = await (total > maxSortedLeads ? within(candidates) : found)
    .innerJoin('campaign as c', 'c.id', 'r.campaign_id')
    .leftJoin('contact_hours as h', 'h.account_id', 'r.account_id')
    .selectAll('r')
    .select(['c.name as campaign_name', 'c.channel as campaign_channel'])
    .select(sql.raw<CampaignRow['settings'] | null>(recipientSettingsSql).as('recipient_settings'))
    // For few matches, the added 0 keeps the database from walking the position index.
    .orderBy(total > maxSortedLeads ? sql`${position}` : sql`0 + ${position}`, 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

/** Returns the candidates of a search by a part of a number, found with an index of parts if one helps. */
async function withIndex<T extends { where(condition: RawBuilder<boolean>): T }>(
  query: AccountQuery,
  candidates: T,
  search: PhoneSearch,
): Promise<T> {
  if (search.digits.startsWith('+')) return candidates
  const parts = hasPhoneParts(accountQuery(query, search.account), search.digits)
  if (parts) return candidates.where(parts)
  const ids = await findByPhoneBlocks(query, search)
  return ids ? (query.selectFrom('lead as r').where(ids) as unknown as T) : candidates
}

const leadByIdQuery = compiledQuery(
  (query: AccountQuery, id: number) =>
    query.selectFrom('lead').selectAll().where('account_id', '=', query.account).where('id', '=', id),
  {
    isSingleRow: true,
  },
)

/** Returns a lead of an account. */
export const findLead = async (query: AccountQuery, id: number): Promise<LeadRow | undefined> =>
  (await leadByIdQuery(query, id))[0]

/**
 * The added 0 prevents the use of an index that begins with the campaign: PostgreSQL chooses it while it has no
 * statistics, such as during the first import, and then reads all leads of the campaign for each new one.
 */
const inCampaign = (campaign: number) => sql<boolean>`campaign_id + 0 = ${campaign}`

const leadByNumberQuery = compiledQuery(
  (query: AccountQuery, campaign: number, phone: string) =>
    query
      .selectFrom('lead')
      .select('id')
      .where('account_id', '=', query.account)
      .where('phone_number', '=', phone)
      .where(inCampaign(campaign))
      .limit(1),
  { isSingleRow: true },
)

/** Returns the id of the newest lead of a campaign with this number. */
export async function findLeadByNumber(
  query: AccountQuery,
  campaign: number,
  phone: string,
): Promise<number | undefined> {
  const all = query
    .selectFrom('lead')
    .select('id')
    .where('account_id', '=', query.account)
    .where('phone_number', '=', phone)
    .where(inCampaign(campaign))
  return (await all.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id
}

/** Returns whether a campaign has a lead with this number. */
export const hasLead = async (query: AccountQuery, campaign: number, phone: string): Promise<boolean> =>
  (await leadByNumberQuery(query, campaign, phone)).length > 0

/**
 * Returns those of some numbers that a campaign has. Each number is searched with the index of numbers: in a join, PostgreSQL
 * reads all leads of the account while it has no statistics of the table, as during a first import.
 */
export async function listKnownNumbers(
  query: AccountQuery,
  campaign: number,
  phones: readonly string[],
): Promise<Set<string>> {
  const json = stringifyJson(phones)
  const given = isSqlite(query) ? sql`json_each(${json})` : sql`json_array_elements_text(${json}::json)`
  const { rows } = await sql<{ value: string }>`select given.value from ${given} as given
    where (select id from lead where account_id = ${query.account} and phone_number = given.value and ${inCampaign(campaign)}
      limit 1) is not null`.execute(query)
  return new Set(rows.map((it) => it.value))
}

/** Inserts leads with one statement. Returns their ids, in the same order. */
export async function insertLeads(query: AccountQuery, leads: readonly NewLead[]): Promise<number[]> {
  const rows = await query.insertInto('lead').values(leads).returning('id').execute()
  // Ids are assigned in the order of the rows, and a database may return the rows in another one.
  return rows.map((it) => it.id).sort((a, b) => a - b)
}

/** Inserts a lead. */
export async function insertLead(query: AccountQuery, lead: NewLead): Promise<LeadRow> {
  return (await insertLeadQuery(query, ...leadColumns.map((it) => lead[it])))[0] as LeadRow
}

export type NewLead = Omit<LeadRow, 'id'>

const leadColumns = [
  ...(['account_id', 'campaign_id', 'phone_number', 'variables', 'status', 'contacts', 'attempts'] as const),
  ...(['next_attempt_at', 'last_attempt_at', 'fallback_sent_at', 'created_at', 'updated_at'] as const),
] satisfies readonly (keyof NewLead)[]

const insertLeadQuery = compiledQuery((query, ...values: readonly unknown[]) =>
  query
    .insertInto('lead')
    .values(Object.fromEntries(leadColumns.map((it, n) => [it, values[n]])) as NewLead)
    .returningAll(),
)

/** Inserts secondary contacts of leads with one statement. */
export async function insertLeadContacts(
  query: AccountQuery,
  contacts: readonly Insertable<LeadContactTable>[],
): Promise<void> {
  if (contacts.length > 0) await query.insertInto('lead_contact').values(contacts).execute()
}

/** Inserts a secondary contact of a lead. */
export const insertLeadContact = (
  query: AccountQuery,
  contact: Insertable<LeadContactTable>,
): Promise<LeadContactRow> => query.insertInto('lead_contact').values(contact).returningAll().executeTakeFirstOrThrow()

/** Returns the secondary contacts of these leads, in order. */
export const listLeadContacts = (query: AccountQuery, leads: readonly number[]): Promise<LeadContactRow[]> =>
  query.selectFrom('lead_contact').selectAll().where('lead_id', 'in', leads).orderBy('id').execute()

/** Updates a lead. */
export async function updateLeadRow(query: AccountQuery, id: number, change: Updateable<LeadTable>): Promise<void> {
  await query.updateTable('lead').set(change).where('account_id', '=', query.account).where('id', '=', id).execute()
}

/** Sets the time of the next attempt of some leads, with one statement. */
export async function deferLeads(query: AccountQuery, ids: readonly number[], at: number): Promise<void> {
  if (ids.length === 0) return
  await query
    .updateTable('lead')
    .set({ next_attempt_at: at })
    .where('account_id', '=', query.account)
    .where('id', 'in', ids)
    .execute()
}

/** Returns leads of a campaign in one status whose next attempt is after a time. */
export const listDeferredLeads = (
  query: AccountQuery,
  campaign: number,
  status: LeadStatus,
  after: number,
  limit: number,
): Promise<{ id: number }[]> =>
  query
    .selectFrom('lead')
    .select('id')
    .where('account_id', '=', query.account)
    .where('campaign_id', '=', campaign)
    .where('next_attempt_at', '>', after)
    .where('status', '=', status)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()

/** Deletes a lead with its secondary contacts. Returns false if it does not exist. */
export async function deleteLead(query: AccountQuery, id: number): Promise<boolean> {
  await query.deleteFrom('lead_contact').where('account_id', '=', query.account).where('lead_id', '=', id).execute()
  const { numDeletedRows } = await query
    .deleteFrom('lead')
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns whether a campaign has a lead in one of these statuses. */
export async function hasWaitingLead(
  query: AccountQuery,
  campaign: { readonly id: number; readonly account_id: number },
  waiting: readonly LeadStatus[],
): Promise<boolean> {
  // One query per status, because an index answers each immediately. A single query would scan a long campaign.
  for (const status of waiting) {
    const lead = query
      .selectFrom('lead')
      .select('id')
      .where('account_id', '=', campaign.account_id)
      .where('campaign_id', '=', campaign.id)
    if (await lead.where('status', '=', status).limit(1).executeTakeFirst()) return true
  }
  return false
}

/** Returns a lead of the account with its campaign, also one that is being deleted; undefined if either is gone. */
export async function findLeadWithCampaign(
  query: AccountQuery,
  id: number,
): Promise<{ readonly lead: LeadRow; readonly campaign: CampaignRow } | undefined> {
  const lead = await query.selectFrom('lead').selectAll().where('id', '=', id).executeTakeFirst()
  const campaign =
    lead && (await query.selectFrom('campaign').selectAll().where('id', '=', lead.campaign_id).executeTakeFirst())
  return lead && campaign && { lead, campaign }
}

/** Returns the leads of a campaign that are due by a time, the longest waiting first. */
export const listDueLeads = (
  query: AccountQuery,
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
  query: AccountQuery,
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

/** Returns the leads of a campaign that are being processed. The account is the first column of the index that finds them. */
export const listProcessingLeads = (query: AccountQuery, campaign: number): Promise<LeadRow[]> =>
  query
    .selectFrom('lead')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('campaign_id', '=', campaign)
    .where('status', '=', 'processing')
    .orderBy('id')
    .execute()

/** Returns whether a campaign has any lead. */
export const hasLeads = async (query: AccountQuery, campaign: number): Promise<boolean> =>
  (await query.selectFrom('lead').select('id').where('campaign_id', '=', campaign).limit(1).executeTakeFirst()) !==
  undefined
