import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { findActionResult, insertActionResult } from '../../store/automations/run-retention.ts'
import { type CampaignRow, findCampaign } from '../../store/campaigns/campaigns.ts'
import {
  deleteLead,
  findLead,
  hasLead,
  insertLead,
  insertLeadContact,
  type LeadContactRow,
  type LeadRow,
  type ListedLeadRow,
  listLeadContacts,
  listLeads,
  updateLeadRow,
} from '../../store/campaigns/leads.ts'
import type { LeadStatus } from '../../store/campaigns/tables.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { type RestrictedKey, requireSpendScope } from '../runtime/key-access.ts'
import { mergeVariables } from '../runtime/merge-variables.ts'
import { scheduleDispatch } from './lead-outcomes.ts'
import { type LeadEvent, leadTransitions, nextStatus, waitingLeads } from './status-transitions.ts'

/** The account that acts, and the idempotency key of the action. */
interface KeyedAction {
  readonly account: number
  /** Undefined makes every call a separate action. */
  readonly key: string | undefined
  readonly now: number
}

/**
 * Runs an action in the caller's transaction once for its key. Repeated calls return the result of the first, which is
 * stored as JSON.
 */
async function runOnce<T>(
  query: AccountQuery,
  { account, key, now }: KeyedAction,
  action: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return action()
  const storedResult = await findActionResult(accountQuery(query, account), key)
  if (storedResult !== undefined) return parseJson(storedResult)
  const result = await action()
  await insertActionResult(query, { key, result: stringifyJson(result ?? null), now })
  return result
}

type Variables = Readonly<Record<string, unknown>>

/** The input for a new lead. */
interface LeadDraft {
  readonly phone: string
  readonly campaign: number
  readonly variables: Variables
  /** Whether the campaign may contain the number already. */
  readonly duplicate: boolean
  readonly contacts: readonly { readonly phone: string; readonly variables: Variables }[]
}

/** The input for a change to a lead. */
interface LeadChange {
  readonly campaign?: number | undefined
  readonly phone?: string | undefined
  readonly status?: 'created' | 'completed' | 'reached-max-retries' | undefined
  /** Merged into the existing variables. */
  readonly variables?: Variables | undefined
}

/** Filters and page of a list of leads. `page` counts from 1; days are counted from 1970-01-01. */
export interface LeadQuery {
  readonly campaign?: number | undefined
  readonly status?: LeadStatus | undefined
  readonly phone?: string | undefined
  readonly fromDay?: number | undefined
  readonly toDay?: number | undefined
  readonly page: number
  readonly perPage: number
}

/** Events that correspond to the statuses an owner can set. */
const statusEvents = {
  created: 'queue_again',
  completed: 'end',
  'reached-max-retries': 'end_unreached',
} as const satisfies Record<string, LeadEvent>

async function requireCampaign(query: AccountQuery, account: number, id: number): Promise<CampaignRow> {
  const campaign = await findCampaign(accountQuery(query, account), id)
  if (!campaign) throw new Failure('leads.campaign_not_found')
  return campaign
}

async function toE164(phone: string): Promise<string> {
  const parsed = await parseE164(phone)
  if (parsed === undefined) throw new Failure('leads.invalid_phone')
  return parsed
}

async function toE164Contacts(contacts: LeadDraft['contacts']): Promise<LeadDraft['contacts']> {
  const valid: LeadDraft['contacts'][number][] = []
  const errors: Record<string, string[]> = {}
  for (const [n, { phone: given, variables }] of contacts.entries()) {
    const phone = await parseE164(given)
    if (phone === undefined) errors[`secondary_contacts.${n}.phone_number`] = ['Invalid phone number']
    else valid.push({ phone, variables })
  }
  if (Object.keys(errors).length > 0) throw new Failure('invalid', { errors })
  return valid
}

/**
 * Checks that a campaign may have secondary contacts. @throws Failure 422 on the field when the campaign does not call
 * (section 4.3)
 */
function requireAllowedContacts(campaign: CampaignRow, contacts: number, field: string): void {
  if (contacts > 0 && campaign.channel !== 'call')
    throw invalidField(field, 'Secondary contacts are for campaigns that call.')
}

/** Returns whether a campaign contacts its leads now or at its start time. */
const isActive = (campaign: CampaignRow | undefined): boolean =>
  campaign?.status === 'in-progress' || campaign?.status === 'scheduled'

/** Lists, creates, changes and deletes leads of campaigns. */
export function leadService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    /**
     * Returns one page of leads, newest first, with their secondary contacts by lead and the total. @throws Failure 422
     * for an unknown campaign
     */
    async list(
      account: number,
      search: LeadQuery,
    ): Promise<{ rows: ListedLeadRow[]; contacts: ReadonlyMap<number, LeadContactRow[]>; total: number }> {
      const { campaign, status, page, perPage, ...rest } = search
      if (campaign !== undefined && !(await findCampaign(accountQuery(connection.read, account), campaign)))
        throw invalidField('campaign_id', 'The selected campaign id is invalid.')
      const filters = { campaign_id: campaign, status }
      const { rows, total } = await listLeads(accountQuery(connection.read, account), {
        account,
        filters,
        ...rest,
        offset: (page - 1) * perPage,
        limit: perPage,
      })
      const withContacts = rows.filter((it) => it.contacts > 0).map((it) => it.id)
      const contacts = new Map<number, LeadContactRow[]>(withContacts.map((id) => [id, []]))
      if (withContacts.length > 0)
        for (const contact of await listLeadContacts(accountQuery(connection.read, account), withContacts))
          contacts.get(contact.lead_id)?.push(contact)
      return { rows, contacts, total }
    },

    /**
     * Adds a lead to a campaign. Repeating it with the same key adds nothing. @throws Failure for an unknown campaign,
     * an invalid number, a duplicate, or secondary contacts that are not allowed
     */
    async create(
      account: number,
      draft: LeadDraft,
      key?: string,
      caller?: RestrictedKey,
    ): Promise<{ row: LeadRow; campaign: CampaignRow; contacts: LeadContactRow[] }> {
      const phone = await toE164(draft.phone)
      const parsedContacts = await toE164Contacts(draft.contacts)
      const add = async (query: AccountQuery, now: number) => {
        const defaults = {
          account_id: account,
          status: 'created' as const,
          attempts: 0,
          last_attempt_at: null,
          created_at: now,
          updated_at: now,
        }
        const insert = (): Promise<LeadRow> =>
          insertLead(query, {
            ...defaults,
            campaign_id: draft.campaign,
            phone_number: phone,
            variables: stringifyJson(draft.variables),
            contacts: parsedContacts.length,
            next_attempt_at: now,
            fallback_sent_at: null,
          })
        const checks = Promise.all([
          requireCampaign(query, account, draft.campaign),
          draft.duplicate ? false : hasLead(accountQuery(query, account), draft.campaign, phone),
        ])
        // A database on a server answers the checks and the insert together. If a check fails, all of it is reverted.
        const inserted = draft.duplicate ? insert() : undefined
        inserted?.catch(() => {})
        const [campaign, isDuplicate] = await checks
        if (isActive(campaign)) requireSpendScope(caller, 'leads.create')
        requireAllowedContacts(campaign, parsedContacts.length, 'secondary_contacts')
        if (isDuplicate) throw new Failure('leads.duplicate')
        const row = await (inserted ?? insert())
        const contacts: LeadContactRow[] = []
        for (const contact of parsedContacts)
          contacts.push(
            await insertLeadContact(query, {
              ...defaults,
              lead_id: row.id,
              phone_number: contact.phone,
              variables: stringifyJson(contact.variables),
            }),
          )
        if (campaign.status === 'in-progress') await scheduleDispatch(query, campaign, now)
        return { row, campaign, contacts }
      }
      return connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        return runOnce(query, { account, key, now }, () => add(query, now))
      })
    },

    /**
     * Changes only the given fields. The status `created` queues the lead again with no attempts counted. Repeating it
     * with the same key changes nothing. @throws Failure 404, 422
     */
    async update(account: number, id: number, change: LeadChange, key?: string, caller?: RestrictedKey): Promise<void> {
      const phone = change.phone === undefined ? undefined : await toE164(change.phone)
      const apply = async (query: AccountQuery, now: number): Promise<void> => {
        const lead = await findLead(accountQuery(query, account), id)
        if (!lead) throw new Failure('leads.not_found')
        for (const campaign of caller ? [lead.campaign_id, change.campaign ?? lead.campaign_id] : [])
          if (isActive(await findCampaign(accountQuery(query, account), campaign)))
            requireSpendScope(caller, 'leads.update')
        if (change.campaign !== undefined)
          requireAllowedContacts(await requireCampaign(query, account, change.campaign), lead.contacts, 'campaign_id')
        const status = change.status && nextStatus(leadTransitions, statusEvents[change.status], lead.status)
        await updateLeadRow(accountQuery(query, account), id, {
          ...(change.campaign !== undefined && { campaign_id: change.campaign }),
          ...(phone !== undefined && { phone_number: phone }),
          ...(change.variables && {
            variables: mergeVariables(lead.variables, change.variables),
          }),
          ...(status && {
            status,
            next_attempt_at: status === 'created' ? now : null,
            ...(status === 'created' && { attempts: 0 }),
          }),
          updated_at: now,
        })
        const isQueued = status === 'created' || (change.campaign !== undefined && waitingLeads.includes(lead.status))
        const campaign = isQueued
          ? await findCampaign(accountQuery(query, account), change.campaign ?? lead.campaign_id)
          : undefined
        if (campaign?.status === 'in-progress') await scheduleDispatch(query, campaign, now)
      }
      await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        await runOnce(query, { account, key, now }, () => apply(query, now))
      })
    },

    /** Deletes a lead. Repeating it with the same key does nothing. @throws Failure 404 */
    async delete(account: number, id: number, key?: string): Promise<void> {
      await connection.write({ account }, async (query) =>
        runOnce(query, { account, key, now: await clock.now(query) }, async () => {
          if (!(await deleteLead(query, id))) throw new Failure('leads.not_found')
        }),
      )
    },
  }
}
