import { Failure, invalidField, invalidSelection } from '../../../contract/errors/failures.ts'
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
  insertLeadContacts,
  insertLeads,
  type LeadContactRow,
  type LeadRow,
  type ListedLeadRow,
  listKnownNumbers,
  listLeadContacts,
  listLeads,
  type NewLead,
  updateLeadRow,
} from '../../store/campaigns/leads.ts'
import type { LeadStatus } from '../../store/campaigns/tables.ts'
import { findContactHours } from '../../store/contacts/contact-hours.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { type RestrictedKey, requireSpendScope } from '../runtime/key-access.ts'
import { mergeVariables } from '../runtime/merge-variables.ts'
import { type HoursOfLeads, hoursOfLeads } from './lead-hours.ts'
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
 * stored as JSON. Only steps of automations have keys: those of `actionKey` in create-ports.ts.
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

/** Resolves to the failure with which a promise rejects. */
const orFailure = async <T>(promise: Promise<T>): Promise<T | Failure> =>
  promise.catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })

type Variables = Readonly<Record<string, unknown>>

/** The input for a new lead. */
export interface LeadDraft {
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

/** Returns why a campaign may not have secondary contacts: only those that call have some (section 4.3). */
const refusedContacts = (
  { channel }: Pick<CampaignRow, 'channel'>,
  contacts: number,
  field: string,
): Failure | undefined =>
  contacts > 0 && channel !== 'call'
    ? invalidField(field, 'Secondary contacts are for campaigns that call.')
    : undefined

/** @throws Failure 422 on the field when the campaign may not have secondary contacts */
function requireAllowedContacts(campaign: CampaignRow, contacts: number, field: string): void {
  const refused = refusedContacts(campaign, contacts, field)
  if (refused) throw refused
}

/** Returns the columns that a new lead and its secondary contacts have in common. */
const newColumns = (account: number, now: number) =>
  ({
    account_id: account,
    status: 'created',
    attempts: 0,
    last_attempt_at: null,
    created_at: now,
    updated_at: now,
  }) as const

/** Returns the row of a new lead, whose numbers were parsed. */
const newLead = (account: number, draft: LeadDraft, now: number): NewLead => ({
  ...newColumns(account, now),
  campaign_id: draft.campaign,
  phone_number: draft.phone,
  variables: stringifyJson(draft.variables),
  contacts: draft.contacts.length,
  next_attempt_at: now,
  fallback_sent_at: null,
})

/** Returns the row of a new secondary contact, whose number was parsed. */
const newContact = (account: number, lead: number, contact: LeadDraft['contacts'][number], now: number) => ({
  ...newColumns(account, now),
  lead_id: lead,
  phone_number: contact.phone,
  variables: stringifyJson(contact.variables),
})

/** Returns a draft with its numbers in E.164. @throws Failure 422 for an invalid one */
const parseNumbers = async (draft: LeadDraft): Promise<LeadDraft> => ({
  ...draft,
  phone: await toE164(draft.phone),
  contacts: await toE164Contacts(draft.contacts),
})

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
        throw invalidSelection('campaign_id')
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

    /** Returns the hours of listed leads by campaign, of campaigns whose hours depend on the lead. */
    async hoursOf(account: number, rows: readonly ListedLeadRow[]): Promise<ReadonlyMap<number, HoursOfLeads>> {
      const found = new Map<number, HoursOfLeads>()
      const settings = new Map(rows.map((it) => [it.campaign_id, it.recipient_settings]))
      if ([...settings.values()].every((it) => it === null)) return found
      const ofAccount = await findContactHours(accountQuery(connection.read, account))
      for (const [campaign, ofCampaign] of settings) {
        const hours = ofCampaign === null ? undefined : await hoursOfLeads(parseJson(ofCampaign), ofAccount)
        if (hours) found.set(campaign, hours)
      }
      return found
    },

    /** Returns the time of the platform. */
    now: (): Promise<number> => clock.now(),

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
      const parsed = await parseNumbers(draft)
      const add = async (query: AccountQuery, now: number) => {
        const insert = (): Promise<LeadRow> => insertLead(query, newLead(account, parsed, now))
        const checks = Promise.all([
          requireCampaign(query, account, draft.campaign),
          draft.duplicate ? false : hasLead(accountQuery(query, account), draft.campaign, parsed.phone),
        ])
        // A database on a server answers the checks and the insert together. If a check fails, all of it is reverted.
        const inserted = draft.duplicate ? insert() : undefined
        inserted?.catch(() => {})
        const [campaign, isDuplicate] = await checks
        if (isActive(campaign)) requireSpendScope(caller, 'leads.create')
        requireAllowedContacts(campaign, parsed.contacts.length, 'secondary_contacts')
        if (isDuplicate) throw new Failure('leads.duplicate')
        const row = await (inserted ?? insert())
        const contacts: LeadContactRow[] = []
        for (const contact of parsed.contacts)
          contacts.push(await insertLeadContact(query, newContact(account, row.id, contact, now)))
        if (campaign.status === 'in-progress') await scheduleDispatch(query, campaign, now)
        return { row, campaign, contacts }
      }
      return connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        return runOnce(query, { account, key, now }, () => add(query, now))
      })
    },

    /**
     * Adds leads to a campaign in one transaction, each as `create` adds one: those that it refuses are not added, and the
     * others are. Returns the id of each, or why it was refused. @throws Failure for an unknown campaign, or a key that
     * may not add to it
     */
    async createBatch(
      account: number,
      { campaign: campaignId, duplicate }: Pick<LeadDraft, 'campaign' | 'duplicate'>,
      drafts: readonly (LeadDraft | Failure)[],
      caller?: RestrictedKey,
    ): Promise<(number | Failure)[]> {
      const checked: (LeadDraft | Failure)[] = []
      for (const draft of drafts) checked.push(draft instanceof Failure ? draft : await orFailure(parseNumbers(draft)))
      const valid = checked.filter((it): it is LeadDraft => !(it instanceof Failure))
      const added = await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const campaign = await requireCampaign(query, account, campaignId)
        if (isActive(campaign)) requireSpendScope(caller, 'leads.createBatch')
        const known =
          duplicate || valid.length === 0
            ? new Set<string>()
            : await listKnownNumbers(
                query,
                campaignId,
                valid.map((it) => it.phone),
              )
        const isNew = (draft: LeadDraft): boolean => {
          if (refusedContacts(campaign, draft.contacts.length, '')) return false
          if (duplicate) return true
          if (known.has(draft.phone)) return false
          known.add(draft.phone)
          return true
        }
        const accepted = valid.map(isNew)
        const inserted = valid.filter((_, n) => accepted[n])
        const ids =
          inserted.length === 0
            ? []
            : await insertLeads(
                query,
                inserted.map((it) => newLead(account, it, now)),
              )
        await insertLeadContacts(
          query,
          inserted.flatMap((it, n) => it.contacts.map((own) => newContact(account, ids[n] as number, own, now))),
        )
        if (inserted.length > 0 && campaign.status === 'in-progress') await scheduleDispatch(query, campaign, now)
        // Only plain data, because a repeated request builds its response from it.
        return { ids, accepted, channel: campaign.channel }
      })
      const ids = added.ids.values()
      const accepted = added.accepted.values()
      return checked.map((draft) => {
        if (draft instanceof Failure) return draft
        if (accepted.next().value) return ids.next().value as number
        return refusedContacts(added, draft.contacts.length, 'secondary_contacts') ?? new Failure('leads.duplicate')
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
          // A new number or variable may be in another time zone, and another campaign has other hours.
          ...(lead.status === 'created' && (lead.next_attempt_at ?? 0) > now && { next_attempt_at: now }),
          ...(status && {
            status,
            next_attempt_at: status === 'created' ? now : null,
            ...(status === 'created' && { attempts: 0 }),
          }),
          updated_at: now,
        })
        const isLookedAt = change.campaign !== undefined || (lead.next_attempt_at ?? 0) > now
        const isQueued = status === 'created' || (isLookedAt && waitingLeads.includes(lead.status))
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
