import { Failure, failures, selectionText } from '../../../contract/errors/failures.ts'
import { requiredByChannel, requiredByFallback } from '../../../contract/resources/campaigns.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findOwnedIds } from '../../store/assistants/assistants.ts'
import { readCampaignLimit } from '../../store/billing/subscriptions.ts'
import {
  type CampaignRow,
  type CampaignWithNumbers,
  countCampaigns,
  deleteCampaignBatch,
  findCampaign,
  findCampaignWithNumbers,
  findDeletedCampaign,
  insertCampaign,
  listCampaigns,
  replaceCampaignNumbers,
  transitionCampaign,
} from '../../store/campaigns/campaigns.ts'
import { deferLeads, hasWaitingLead, listDeferredLeads } from '../../store/campaigns/leads.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findTemplate } from '../../store/messaging/message-templates.ts'
import { findSender } from '../../store/messaging/senders.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import { requeueJob } from '../../store/runtime/scheduled-jobs.ts'
import type { FieldErrors } from '../assistants/assistant-validation.ts'
import { requireNotStopped } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'
import {
  type CampaignChange,
  type CampaignDraft,
  type CampaignFields,
  changedFields,
  fieldsFromDraft,
  fieldsFromRow,
  missingFields,
  toColumns,
} from './campaign-fields.ts'
import type { HoursSettings } from './lead-hours.ts'
import { campaignDispatchJobKind, scheduleDispatch } from './lead-outcomes.ts'
import { type CampaignEvent, campaignTransitions, nextStatus, waitingLeads } from './status-transitions.ts'

const toWords = (path: string): string => path.replaceAll('_', ' ')
const invalidSelection = (path: string): string[] => [selectionText(path)]

type IdField = 'messaging_sender_id' | 'messaging_template_id' | 'sms_from_phone_number_id'

/**
 * Validates the sender and its template, or the number that sends SMS. The prefix selects the fields of the campaign or
 * of its fallback.
 */
async function validateOutlet(
  query: AccountQuery,
  account: number,
  fields: CampaignFields,
  prefix: '' | 'fallback_',
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const fieldValue = (field: IdField): number | null | undefined => fields[`${prefix}${field}`]
  const [senderId, templateId, numberId] = [
    fieldValue('messaging_sender_id'),
    fieldValue('messaging_template_id'),
    fieldValue('sms_from_phone_number_id'),
  ]
  const sender = senderId ? await findSender(accountQuery(query, account), senderId) : undefined
  if (senderId && !sender) errors[`${prefix}messaging_sender_id`] = invalidSelection(`${prefix}messaging_sender_id`)
  // A template belongs to a sender, so an unknown sender makes the template invalid too.
  if (templateId && !(sender && (await findTemplate(query, sender, templateId))))
    errors[`${prefix}messaging_template_id`] = invalidSelection(`${prefix}messaging_template_id`)
  if (numberId) {
    const field = `${prefix}sms_from_phone_number_id`
    const owned = await findNumber(accountQuery(query, account), numberId)
    if (!owned) errors[field] = invalidSelection(field)
    else if (owned.number.sms_capable === 0) errors[field] = [`The selected ${toWords(field)} is not SMS capable.`]
  }
  return errors
}

/**
 * Validates the resources that a new campaign refers to: they must belong to the account and be usable for their
 * purpose. Returns error texts by field.
 */
async function validateCampaign(query: AccountQuery, account: number, fields: CampaignFields): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  if (fields.assistant_id && (await findOwnedIds(query, 'assistant', [fields.assistant_id])).size === 0)
    errors.assistant_id = invalidSelection('assistant_id')
  const numbers = fields.phone_number_ids ?? []
  const ownedIds = await findOwnedIds(query, 'phone_number', numbers)
  for (const [n, id] of numbers.entries())
    if (!ownedIds.has(id)) errors[`phone_number_ids.${n}`] = invalidSelection(`phone_number_ids.${n}`)
  return {
    ...errors,
    ...(await validateOutlet(query, account, fields, 'fallback_')),
    ...(await validateOutlet(query, account, fields, '')),
  }
}

/**
 * Validates a changed campaign: what its channel and its fallback require cannot be cleared, and the resources that the
 * change refers to must be usable. Returns error texts by field.
 */
async function validateChange(
  query: AccountQuery,
  account: number,
  draft: CampaignFields,
  given: CampaignChange,
): Promise<FieldErrors> {
  const isGiven = (field: string): boolean => Object.hasOwn(given, field)
  const errors: FieldErrors = {}
  const required = (fields: readonly (keyof CampaignFields)[], when: string): void => {
    for (const field of fields)
      if (draft[field] === null || draft[field] === undefined)
        errors[field] = [`The ${toWords(field)} field is required when ${when}.`]
  }
  required(requiredByChannel[draft.channel].filter(isGiven), `channel is ${draft.channel}`)
  if (draft.fallback_channel && Object.keys(given).some((field) => field.startsWith('fallback_')))
    required(requiredByFallback[draft.fallback_channel], `fallback channel is ${draft.fallback_channel}`)
  // A template belongs to its sender, so a new sender makes the template a part of the change.
  const isPart = (field: string): boolean => isGiven(field) || isGiven(field.replace('template_id', 'sender_id'))
  for (const [field, texts] of Object.entries(await validateCampaign(query, account, draft)))
    if (isPart(field.replace(/\.\d+$/, ''))) errors[field] ??= texts
  return errors
}

/** Kind of the job that deletes the remaining rows of a deleted campaign. The subject is the campaign's id. Its rows have this name, so it never changes. */
export const campaignDeletionJobKind = 'campaign.removal'

/** Kind of the job that evaluates waiting leads again after the hours of their campaign changed. The subject is the campaign's id. Its rows have this name, so it never changes. */
export const campaignHoursJobKind = 'campaign.hours'

/** Settings that decide when a lead may be contacted. */
const hoursFields: ReadonlySet<string> = new Set([
  'timezone',
  'schedule_windows',
  'allowed_hours_start_time',
  'allowed_hours_end_time',
  'allowed_days',
  'holidays',
  'window_timezone',
  'timezone_variable',
] satisfies (keyof HoursSettings)[])

/** Leads deleted or changed in one transaction, so that other writes can happen in between. */
const batchSize = 500
/** Milliseconds of wall time one job may take before the rest is deferred. */
const jobBudgetMs = 2000

/** Returns a refusal with the placeholders of its text filled in. */
const campaignFailure = (
  kind: 'missing' | 'running' | 'bad_action' | 'bad_state' | 'incomplete' | 'no_leads' | 'insufficient_balance',
  values: Record<string, string> = {},
): Failure => {
  const name = `campaigns.${kind}` as const
  return new Failure(name, { text: failures[name].text.replace(/\{(\w+)\}/g, (_, word: string) => values[word] ?? '') })
}

/** Returns whether a start takes effect now or at the campaign's start time. */
const startEvent = (row: CampaignRow, now: Micros): CampaignEvent =>
  row.starts_at !== null && row.starts_at > now ? 'schedule' : 'start'

/** Lists, creates, starts, stops and deletes campaigns. */
export function campaignService({
  connection,
  clock,
  owner,
  leases,
  wall,
}: Pick<Deps, 'connection' | 'clock' | 'owner' | 'leases' | 'wall'>) {
  async function requireCampaign(query: AccountQuery, account: number, id: number): Promise<CampaignWithNumbers> {
    const campaign = await findCampaignWithNumbers(accountQuery(query, account), id)
    if (!campaign) throw campaignFailure('missing')
    return campaign
  }

  /**
   * Changes the status of a campaign. @throws Failure when its status, the balance, missing fields or a lack of waiting
   * leads forbid it
   */
  const transition = (
    account: number,
    id: number,
    eventOf: (row: CampaignRow, now: Micros) => CampaignEvent,
    keyId?: number,
  ): Promise<CampaignRow> =>
    connection.write({ account }, async (query) => {
      const campaign = await requireCampaign(query, account, id)
      const { row } = campaign
      const now = await clock.now(query)
      const event = eventOf(row, now)
      const status = nextStatus(campaignTransitions, event, row.status)
      if (status === undefined) throw campaignFailure('bad_state', { status: row.status })
      if (event === 'start' || event === 'schedule') {
        await requireNotStopped(query)
        const missing = missingFields(campaign)
        if (missing.length > 0) throw campaignFailure('incomplete', { fields: missing.join(', ') })
        if (((await findAccount(query, account))?.balance ?? 0) <= 0) throw campaignFailure('insufficient_balance')
        // Without a waiting lead the campaign would complete at once.
        if (
          fieldsFromRow(campaign).mark_complete_when_no_leads !== false &&
          !(await hasWaitingLead(query, row, waitingLeads))
        )
          throw campaignFailure('no_leads')
      }
      const starter = event === 'stop' ? {} : { key_id: keyId ?? null }
      await transitionCampaign(query, row, { ...starter, status, updated_at: now })
      if (event === 'stop') await unscheduleJob(query, campaignDispatchJobKind, String(id))
      else await scheduleDispatch(query, row, event === 'schedule' ? (row.starts_at ?? now) : now)
      return { ...row, status, updated_at: now }
    })

  /**
   * Deletes the remaining rows of a deleted campaign within a time budget. The rest is deleted by a job, which is
   * queued behind the jobs that are due already.
   */
  async function sweep(account: number, id: number): Promise<void> {
    const row = await findDeletedCampaign(accountQuery(connection.read, account), id)
    const deadline = wall() + jobBudgetMs
    let done = row === undefined
    do {
      if (row) done = await connection.write({ account }, (query) => deleteCampaignBatch(query, row, batchSize))
    } while (!done && wall() < deadline)
    await connection.write({ rows: account }, async (query) => {
      if (done) await unscheduleJob(query, campaignDeletionJobKind, String(id))
      else await requeueJob(query, campaignDeletionJobKind, String(id), await clock.now(query))
    })
  }

  /**
   * Makes leads that wait for an opening due again, within a time budget. The rest is done by the same job, which is
   * queued behind the jobs that are due already.
   */
  async function reopen(account: number, id: number): Promise<void> {
    const deadline = wall() + jobBudgetMs
    let done = false
    while (!done && wall() < deadline)
      done = await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const waiting = await listDeferredLeads(query, id, 'created', now, batchSize)
        await deferLeads(
          query,
          waiting.map((it) => it.id),
          now,
        )
        return waiting.length < batchSize
      })
    await connection.write({ account }, async (query) => {
      const now = await clock.now(query)
      if (!done) return requeueJob(query, campaignHoursJobKind, String(id), now)
      await unscheduleJob(query, campaignHoursJobKind, String(id))
      const row = await findCampaign(query, id)
      if (row?.status === 'in-progress') await scheduleDispatch(query, row, now)
    })
  }

  return {
    list: (account: number): Promise<CampaignWithNumbers[]> => listCampaigns(accountQuery(connection.read, account)),

    /** Returns the channel of a campaign; undefined if it does not exist. */
    channelOf: async (account: number, id: number): Promise<string | undefined> =>
      Number.isSafeInteger(id)
        ? (await findCampaignWithNumbers(accountQuery(connection.read, account), id))?.row.channel
        : undefined,

    async get(account: number, id: number): Promise<CampaignWithNumbers> {
      const campaign = await findCampaignWithNumbers(accountQuery(connection.read, account), id)
      if (!campaign) throw new Failure('campaigns.not_found')
      return campaign
    },

    /**
     * Creates a campaign. @throws Failure 422 when the plan's limit is reached, and for every field that refers to a
     * resource the account does not have
     */
    create: (account: number, draft: CampaignDraft): Promise<CampaignWithNumbers> =>
      connection.write({ account }, async (query) => {
        const limit = await readCampaignLimit(query)
        if (limit !== null && (await countCampaigns(query)) >= limit) throw new Failure('campaigns.plan_limit')
        const fields = fieldsFromDraft(draft)
        const errors = await validateCampaign(query, account, fields)
        if (Object.keys(errors).length > 0) throw new Failure('invalid', { text: 'Validation failed', errors })
        const now = await clock.now(query)
        const numbers = [...new Set(fields.phone_number_ids ?? [])]
        const times = { created_at: now, updated_at: now, deleted_at: null }
        return {
          row: await insertCampaign(
            query,
            { ...toColumns(fields), account_id: account, status: 'draft', ...times },
            numbers,
          ),
          numbers,
        }
      }),

    /**
     * Changes fields of a campaign, except its channel. Fields of other channels are not saved. @throws Failure 404; 409
     * while it runs or is scheduled; 422
     */
    update: (account: number, id: number, change: CampaignChange): Promise<CampaignWithNumbers> =>
      connection.write({ account }, async (query) => {
        const before = await findCampaignWithNumbers(query, id)
        if (!before) throw new Failure('campaigns.not_found')
        const { row } = before
        if (row.status === 'in-progress' || row.status === 'scheduled')
          throw campaignFailure('running', { status: row.status })
        const given = changedFields(row.channel, change)
        const fields = { ...fieldsFromRow(before), ...given } as CampaignFields
        const errors = await validateChange(query, account, fields, given)
        if (Object.keys(errors).length > 0) throw new Failure('invalid', { text: 'Validation failed', errors })
        await transitionCampaign(query, row, { ...toColumns(fields), updated_at: await clock.now(query) })
        const { phone_number_ids: numbers } = given
        if (numbers !== undefined) await replaceCampaignNumbers(query, row, numbers ?? [])
        if (Object.keys(given).some((it) => hoursFields.has(it)))
          await scheduleJob(query, {
            account,
            kind: campaignHoursJobKind,
            subject: String(id),
            at: await clock.now(query),
          })
        return requireValue(await findCampaignWithNumbers(query, id))
      }),

    /** Starts or stops a campaign. @throws Failure, each with `success: false` */
    async updateStatus(account: number, id: number, action: string, keyId?: number): Promise<CampaignRow> {
      if (action !== 'start' && action !== 'stop') throw campaignFailure('bad_action')
      return transition(account, id, action === 'start' ? startEvent : () => 'stop', keyId)
    },

    /**
     * Stops and deletes a campaign with its leads. Very many leads are deleted partly after the response. @throws
     * Failure 404
     */
    async delete(account: number, id: number): Promise<void> {
      await connection.write({ account }, async (query) => {
        const row = await findCampaign(query, id)
        if (!row) throw new Failure('campaigns.not_found')
        const now = await clock.now(query)
        await transitionCampaign(query, row, {
          status: nextStatus(campaignTransitions, 'stop', row.status) ?? row.status,
          updated_at: now,
          deleted_at: now,
        })
        await unscheduleJob(query, campaignDispatchJobKind, String(id))
        await scheduleJob(query, {
          account,
          kind: campaignDeletionJobKind,
          subject: String(id),
          at: now,
          lease: { owner, wall: wall() },
        })
      })
      await leases.during(campaignDeletionJobKind, [id], () => sweep(account, id))
    },

    /** Scheduled job: finishes a deletion that its request did not finish. */
    sweep,

    /** Scheduled job: evaluates waiting leads again after the hours of their campaign changed. */
    reopen,
  }
}
