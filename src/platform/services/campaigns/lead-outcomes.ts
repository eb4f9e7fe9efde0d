import { type Micros, minute } from '../../../contract/values/micros.ts'
import { retryDefaults } from '../../../contract/values/states.ts'
import { parseJson } from '../../../node/json.ts'
import { scheduleJob, unscheduleUnstarted } from '../../jobs/job-loop.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import type { CampaignRow } from '../../store/campaigns/campaigns.ts'
import { findLeadWithCampaign, type LeadRow, updateLeadRow } from '../../store/campaigns/leads.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { rescheduleJob } from '../../store/runtime/scheduled-jobs.ts'
import { answeredCallStatuses } from '../deliveries/notify-webhook.ts'
import { type LeadEvent, leadTransitions, nextStatus } from './status-transitions.ts'

/** Kind of the job that dispatches a campaign. The subject is the campaign's id. Its rows have this name, so it never changes. */
export const campaignDispatchJobKind = 'campaign.turn'

/** Schedules the next dispatch of a campaign at a time, replacing the time it was scheduled for. */
export async function scheduleDispatch(
  query: AccountQuery,
  { account_id, id }: Pick<CampaignRow, 'account_id' | 'id'>,
  at: Micros,
): Promise<void> {
  await unscheduleUnstarted(query, campaignDispatchJobKind, String(id))
  // A started dispatch considers all leads before it ends, so its job is moved instead of adding a second one.
  if (!(await rescheduleJob(query, campaignDispatchJobKind, String(id), at)))
    await scheduleJob(query, { account: account_id, kind: campaignDispatchJobKind, subject: String(id), at })
}

/** Kind of the job that contacts a lead through the fallback channel. The subject is the lead's id. Its rows have this name, so it never changes. */
export const fallbackContactJobKind = 'campaign.fallback'

/** Settings of a campaign that decide about another attempt. The column `settings` has them as JSON: the names never change. */
interface RetrySettings {
  readonly fallback_channel?: string | null
  readonly max_retries?: number
  readonly retry_interval?: number
  readonly retry_on_voicemail?: boolean
  readonly retry_on_goal_incomplete?: boolean
  readonly goal_completion_variable?: string | null
}

/** Returns whether an attempt reached the goal of the campaign. */
function isGoalReached(call: PhoneCallRow, settings: RetrySettings): boolean {
  if (!answeredCallStatuses.has(call.status)) return false
  if (settings.retry_on_voicemail && call.answered_by === 'machine') return false
  const { retry_on_goal_incomplete, goal_completion_variable: name } = settings
  if (!retry_on_goal_incomplete || !name) return true
  const found = call.evaluation === null ? undefined : parseJson(call.evaluation)[name]
  return Boolean(found) && !/^(false|no|0)$/i.test(String(found))
}

/**
 * Records the outcome of an attempt: the lead is completed, rescheduled, or has reached the maximum number of retries.
 */
export async function recordLeadOutcome(
  query: AccountQuery,
  lead: LeadRow,
  settings: RetrySettings,
  isSuccess: boolean,
  now: Micros,
): Promise<void> {
  const event: LeadEvent = isSuccess
    ? 'succeed'
    : lead.attempts < (settings.max_retries ?? retryDefaults.max_retries)
      ? 'retry'
      : 'give_up'
  const status = nextStatus(leadTransitions, event, lead.status)
  if (status === undefined) return
  const next = event === 'retry' ? now + (settings.retry_interval ?? retryDefaults.retry_interval) * minute : null
  await updateLeadRow(accountQuery(query, lead.account_id), lead.id, { status, next_attempt_at: next, updated_at: now })
  if (event === 'give_up' && settings.fallback_channel)
    await scheduleJob(query, {
      account: lead.account_id,
      kind: fallbackContactJobKind,
      subject: String(lead.id),
      at: now,
    })
}

/** Marks a lead whose number must not be contacted, in the caller's transaction. */
export async function blockLead(query: AccountQuery, lead: LeadRow, now: Micros): Promise<void> {
  const status = nextStatus(leadTransitions, 'block', lead.status)
  if (status) await updateLeadRow(query, lead.id, { status, next_attempt_at: null, updated_at: now })
}

/**
 * Records the outcome of a call for its lead, in the transaction that ends the call. Schedules a dispatch of the
 * campaign that made the call, and of the one that the lead was moved to since. The lead may have been deleted.
 */
export async function recordCallOutcome(query: AccountQuery, call: PhoneCallRow, now: Micros): Promise<void> {
  if (call.lead_id === null) return
  const found = await findLeadWithCampaign(query, call.lead_id)
  if (found) {
    const settings: RetrySettings = parseJson(found.campaign.settings)
    await recordLeadOutcome(query, found.lead, settings, isGoalReached(call, settings), now)
    await scheduleDispatch(query, found.campaign, now)
  }
  if (call.campaign_id !== null && call.campaign_id !== found?.campaign.id)
    await scheduleDispatch(query, { account_id: call.account_id, id: call.campaign_id }, now)
}
