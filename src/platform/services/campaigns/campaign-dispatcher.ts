import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { isOpenAt, nextOpening } from '../../../contract/values/contact-hours.ts'
import { type Micros, minute } from '../../../contract/values/micros.ts'
import { withZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount, isStopped } from '../../store/accounts/accounts.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import {
  type CampaignRow,
  type CampaignWithNumbers,
  findCampaignWithNumbers,
  transitionCampaign,
} from '../../store/campaigns/campaigns.ts'
import {
  hasLeads,
  type LeadRow,
  listDueLeads,
  listProcessingLeads,
  nextLeadDueAt,
  updateLeadRow,
} from '../../store/campaigns/leads.ts'
import { findContactHours } from '../../store/contacts/contact-hours.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findPhoneNumber } from '../../store/numbers/numbers.ts'
import { holdJob, type JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { callCost, minutePrice } from '../billing/call-prices.ts'
import { canReserve, isKeyLive, payerOf } from '../billing/key-budget.ts'
import { isAffordable } from '../billing/ledger.ts'
import { callService } from '../calls/call-service.ts'
import { findContactRefusals, recordSkippedContact } from '../contacts/contact-permission.ts'
import type { Deps } from '../runtime/deps.ts'
import { fieldsFromRow, missingFields } from './campaign-fields.ts'
import { campaignMessages } from './campaign-messages.ts'
import { campaignHours, deferClosedLeads, hoursInTransaction, hoursOfLeads } from './lead-hours.ts'
import { blockLead, campaignDispatchJobKind } from './lead-outcomes.ts'
import {
  type CampaignEvent,
  campaignTransitions,
  leadTransitions,
  nextStatus,
  waitingLeads,
} from './status-transitions.ts'

/** Default number of messages a campaign sends per minute. */
const defaultMessagesPerMinute = 10

/** Number of leads that are read at once after a blocked one, and the number of such pages in one dispatch. */
const blockedPageSize = 100
const maxBlockedPages = 5

/** The result of a dispatch: the time of the next one, and the campaign if messages have to be sent first. */
interface DispatchResult {
  readonly next: Micros | undefined
  readonly campaign?: CampaignWithNumbers
}

/**
 * Dispatches running campaigns. Each dispatch starts as many waiting leads as the schedule, the rate and the balance
 * allow, and schedules the next one.
 */
export function campaignDispatcher(deps: Deps) {
  const { connection, clock } = deps
  const calls = callService(deps)
  const messages = campaignMessages(deps)

  async function transition(query: AccountQuery, row: CampaignRow, event: CampaignEvent, now: Micros): Promise<void> {
    const status = nextStatus(campaignTransitions, event, row.status)
    if (status !== undefined) await transitionCampaign(query, row, { status, updated_at: now })
  }

  async function startAttempt(query: AccountQuery, lead: LeadRow, now: Micros): Promise<LeadRow> {
    const change = {
      status: 'processing' as const,
      attempts: lead.attempts + 1,
      last_attempt_at: now,
      next_attempt_at: null,
      updated_at: now,
    }
    await updateLeadRow(accountQuery(query, lead.account_id), lead.id, change)
    return { ...lead, ...change }
  }

  /** Returns a started lead that got no message to the leads that wait. The attempt does not count. */
  async function returnLead(query: AccountQuery, lead: LeadRow, now: Micros): Promise<void> {
    const attempts = lead.attempts - 1
    const status = nextStatus(leadTransitions, attempts > 0 ? 'retry' : 'queue_again', lead.status)
    if (status === undefined) return
    const change = { status, attempts, next_attempt_at: now, updated_at: now }
    await updateLeadRow(accountQuery(query, lead.account_id), lead.id, {
      ...change,
      ...(attempts === 0 && { last_attempt_at: null }),
    })
  }

  async function pickNumber(
    query: AccountQuery,
    { numbers }: CampaignWithNumbers,
    lead: LeadRow,
  ): Promise<string | null> {
    const id = numbers[(lead.id + lead.attempts) % numbers.length]
    return (id !== undefined && (await findPhoneNumber(query, id))) || null
  }

  /** Returns the most that a call of an assistant can cost. */
  async function maximumCost(query: AccountQuery, account: number, id: number | null): Promise<number> {
    const assistant = id === null ? undefined : await findAssistant(accountQuery(query, account), id)
    const seconds = assistant && parseJson(assistant.settings).max_duration
    return seconds == null ? Number.POSITIVE_INFINITY : callCost(seconds)
  }

  /** Calls the given leads. Returns false when the balance or the budget of the key is exhausted. */
  async function startCalls(
    query: AccountQuery,
    linked: CampaignWithNumbers,
    leads: readonly LeadRow[],
    { now, keepsHours }: { readonly now: Micros; readonly keepsHours: 1 | null },
  ): Promise<boolean> {
    const { id, name, account_id, assistant_id, key_id } = linked.row
    for (const lead of leads) {
      const account = payerOf(requireValue(await findAccount(query, account_id)), key_id)
      if (!isAffordable(account, minutePrice)) return false
      if (!(await canReserve(query, account, await maximumCost(query, account_id, assistant_id), now))) return false
      const attemptedLead = await startAttempt(query, lead, now)
      const campaign = { id, name, lead: lead.id, from: await pickNumber(query, linked, attemptedLead) }
      const draft = {
        phone: lead.phone_number,
        assistantId: assistant_id ?? 0,
        variables: parseJson(lead.variables),
        campaign,
      }
      await calls.begin(query, account, draft, { phone: lead.phone_number, now, keeps_hours: keepsHours })
    }
    return true
  }

  /**
   * Returns due leads that may be contacted, at most `capacity`, and marks those on the way to them that must not be. It ends
   * after a number of leads, so that many blocked ones do not hold the account for long: then it is not complete.
   */
  async function takeDueLeads(
    query: AccountQuery,
    campaign: CampaignWithNumbers,
    accountHours: ContactHours | undefined,
    { capacity, now }: { readonly capacity: number; readonly now: Micros },
  ) {
    const { row } = campaign
    const hours = hoursInTransaction(fieldsFromRow(campaign), accountHours)
    const allowed = new Map<number, LeadRow>()
    for (let pages = 0, size = capacity; allowed.size < capacity; pages++, size = allowed.size + blockedPageSize) {
      if (pages > maxBlockedPages) return { allowed: [...allowed.values()], isComplete: false }
      const due = await listDueLeads(query, row.id, waitingLeads, now, size)
      const phones = [...new Set(due.map((it) => it.phone_number))]
      const refusals = await findContactRefusals(query, row.channel, phones)
      const closed = await deferClosedLeads(query, hours, due, now)
      for (const lead of due) {
        const refusal = refusals.get(lead.phone_number)
        if (refusal) {
          const contact = { channel: row.channel, phone: lead.phone_number, subject: `lead ${lead.id}` }
          await blockLead(query, lead, now)
          await recordSkippedContact(query, contact, refusal, now)
        } else if (!closed.has(lead.id) && allowed.size < capacity) allowed.set(lead.id, lead)
      }
      if (refusals.size === 0 && closed.size === 0) break
    }
    return { allowed: [...allowed.values()], isComplete: true }
  }

  async function dispatchLeads(
    query: AccountQuery,
    campaign: CampaignWithNumbers,
    now: Micros,
  ): Promise<DispatchResult> {
    const { row } = campaign
    const fields = fieldsFromRow(campaign)
    const activeLeads = await listProcessingLeads(query, row.id)
    // Messages to leads that were started and have none are sent first: after a crash, or since the account was stopped.
    const limit =
      row.channel === 'call'
        ? (fields.max_calls_in_parallel ?? 3)
        : (fields.messages_per_minute ?? defaultMessagesPerMinute)
    const capacity = limit - activeLeads.length
    const accountHours = await findContactHours(query)
    const { allowed: waiting, isComplete } = await takeDueLeads(query, campaign, accountHours, { capacity, now })
    if (row.channel !== 'call') for (const lead of waiting) await startAttempt(query, lead, now)
    else if (!(await startCalls(query, campaign, waiting, { now, keepsHours: accountHours ? 1 : null }))) {
      await transition(query, row, 'fail', now)
      return { next: undefined }
    }
    // The remaining leads are checked in another transaction.
    if (!isComplete && (row.channel === 'call' || waiting.length === 0)) return { next: now }
    const next = await nextLeadDueAt(query, row.id, waitingLeads)
    if (next === undefined && activeLeads.length + waiting.length === 0) {
      // A campaign without any lead yet waits for the first one.
      if ((fields.mark_complete_when_no_leads ?? true) && (await hasLeads(query, row.id)))
        await transition(query, row, 'finish', now)
      return { next: undefined }
    }
    if (row.channel !== 'call')
      return { campaign: campaign, next: next === undefined ? now + minute : Math.max(next, now + minute) }
    // Leads above the limit of parallel calls are started when a call ends.
    return { next: next === undefined || next <= now ? undefined : next }
  }

  async function dispatchCampaign(query: AccountQuery, id: number, now: Micros): Promise<DispatchResult> {
    const campaign = await findCampaignWithNumbers(query, id)
    if (!campaign) return { next: undefined }
    const { starts_at } = campaign.row
    if (campaign.row.status === 'scheduled') {
      if (starts_at !== null && starts_at > now) return { next: starts_at }
      await transition(query, campaign.row, 'begin', now)
    } else if (campaign.row.status !== 'in-progress') return { next: undefined }
    const started: CampaignWithNumbers = { ...campaign, row: { ...campaign.row, status: 'in-progress' } }
    const fields = fieldsFromRow(started)
    const payer = payerOf(requireValue(await findAccount(query, started.row.account_id)), started.row.key_id)
    if (missingFields(started).length > 0 || !(await isKeyLive(query, payer, now))) {
      await transition(query, started.row, 'fail', now)
      return { next: undefined }
    }
    const hours = campaignHours(fields)
    // Hours in the zones of the leads are those of each lead.
    return fields.window_timezone === 'recipient' || isOpenAt(hours, now)
      ? dispatchLeads(query, started, now)
      : { next: nextOpening(hours, now) }
  }

  return {
    /** Scheduled job: one dispatch of a campaign. */
    async dispatch(job: JobRow): Promise<void> {
      const { account_id: account, subject } = job
      const id = Number(subject)
      const dispatchDue = async (query: AccountQuery): Promise<DispatchResult> => {
        if (await isStopped(query)) {
          await holdJob(query, job)
          return { next: undefined }
        }
        const now = await clock.now(query)
        const result = await dispatchCampaign(query, id, now)
        // The messages are sent before the next dispatch is scheduled.
        if (result.campaign) return result
        await unscheduleJob(query, campaignDispatchJobKind, subject)
        await scheduleNext(query, account, subject, result.next)
        return result
      }
      const { campaign } = await withZonesOfNumbers(() => connection.write({ account }, dispatchDue))
      if (!campaign) return
      let result: Awaited<ReturnType<typeof messages.sendToLead>> = 'done'
      const accountHours = await findContactHours(accountQuery(connection.read, account))
      const hours = await hoursOfLeads(fieldsFromRow(campaign), accountHours)
      const startedAt = await clock.now()
      let nextOpeningAt = Number.POSITIVE_INFINITY
      for (const lead of await listProcessingLeads(accountQuery(connection.read, account), id)) {
        const opening = hours ? (hours.openingOf(lead, startedAt) ?? Number.POSITIVE_INFINITY) : startedAt
        if (opening > startedAt) {
          // A dispatch that did not finish has left this lead, and its hours have closed since.
          nextOpeningAt = Math.min(nextOpeningAt, opening)
          continue
        }
        result = await messages.sendToLead(campaign, lead)
        if (result !== 'done') break
      }
      await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        await unscheduleJob(query, campaignDispatchJobKind, subject)
        // The next dispatch waits while the account is stopped, and then continues with the leads that were started.
        if (result === 'stopped') return scheduleNext(query, account, subject, now)
        if (result === 'unavailable') {
          for (const lead of await listProcessingLeads(query, id)) await returnLead(query, lead, now)
          return transition(query, campaign.row, 'fail', now)
        }
        const next = await nextLeadDueAt(query, id, waitingLeads)
        const isOver = next === undefined && (await listProcessingLeads(query, id)).length === 0
        const wanted = Math.min(next ?? now, nextOpeningAt)
        await scheduleNext(query, account, subject, isOver ? now : Math.max(wanted, now + minute))
      })
    },
  }

  async function scheduleNext(
    query: AccountQuery,
    account: number,
    subject: string,
    at: Micros | undefined,
  ): Promise<void> {
    if (at !== undefined) await scheduleJob(query, { account, kind: campaignDispatchJobKind, subject, at })
  }
}
