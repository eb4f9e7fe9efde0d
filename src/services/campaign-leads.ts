import { type Micros, minute } from '../events/clock.ts'
import { schedule, unscheduleUntried } from '../events/due.ts'
import type { CampaignRow } from '../store/campaigns.ts'
import type { Query } from '../store/connection.ts'
import { changeLead, type LeadRow } from '../store/leads.ts'
import type { PhoneCallRow } from '../store/phone-calls.ts'
import { hadStatuses } from './deliveries/switches.ts'
import { type LeadEvent, leadTransitions, moved } from './transitions.ts'

/** Kind of the due work that takes a campaign a turn further. Its subject is the campaign's id. */
export const turnWork = 'campaign.turn'

/** Has a campaign look for what to do at a time, instead of whenever it would have. */
export async function scheduleTurn(query: Query, { account_id, id }: Pick<CampaignRow, 'account_id' | 'id'>, at: Micros): Promise<void> {
  await unscheduleUntried(query, turnWork, String(id))
  const begun = await query.selectFrom('due').select('id').where('kind', '=', turnWork).where('subject', '=', String(id)).executeTakeFirst()
  // Whoever is at it looks at everything there is before it leaves.
  if (begun) await query.updateTable('due').set({ due_at: at, lease_owner: null, lease_until: 0, attempts: 0 }).where('id', '=', begun.id).execute()
  else await schedule(query, { account: account_id, kind: turnWork, subject: String(id), at })
}

/** Kind of the due work that contacts a lead in another way than by calls. Its subject is the lead's id. */
export const fallbackWork = 'campaign.fallback'

interface Goals {
  readonly fallback_channel?: string | null
  readonly max_retries?: number
  readonly retry_interval?: number
  readonly retry_on_voicemail?: boolean
  readonly retry_on_goal_incomplete?: boolean
  readonly goal_completion_variable?: string | null
}

/** Whether a try reached what the campaign wants. */
function isReached(call: PhoneCallRow, goals: Goals): boolean {
  if (!hadStatuses.has(call.status)) return false
  if (goals.retry_on_voicemail && call.answered_by === 'machine') return false
  const { retry_on_goal_incomplete, goal_completion_variable: name } = goals
  if (!retry_on_goal_incomplete || !name) return true
  const found = call.evaluation === null ? undefined : JSON.parse(call.evaluation)[name]
  return Boolean(found) && !/^(false|no|0)$/i.test(String(found))
}

/** Moves a lead after a try: reached, or to be tried again later, or no more. */
export async function moveLead(query: Query, lead: LeadRow, goals: Goals, reached: boolean, now: Micros): Promise<void> {
  const event: LeadEvent = reached ? 'succeed' : lead.attempts < (goals.max_retries ?? 3) ? 'retry' : 'give_up'
  const status = moved(leadTransitions, event, lead.status)
  if (status === undefined) return
  const next = event === 'retry' ? now + (goals.retry_interval ?? 60) * minute : null
  await changeLead(query, lead.account_id, lead.id, { status, next_attempt_at: next, updated_at: now })
  if (event === 'give_up' && goals.fallback_channel) await schedule(query, { account: lead.account_id, kind: fallbackWork, subject: String(lead.id), at: now })
}

/** What the end of a call means for the lead it was for, in the transaction that ends it; its campaign then looks what is next. */
export async function settleLead(query: Query, call: PhoneCallRow, now: Micros): Promise<void> {
  if (call.lead_id === null) return
  const lead = await query.selectFrom('lead').selectAll().where('id', '=', call.lead_id).executeTakeFirst()
  const campaign = lead && (await query.selectFrom('campaign').selectAll().where('id', '=', lead.campaign_id).executeTakeFirst())
  if (!lead || !campaign) return
  const goals: Goals = JSON.parse(campaign.settings)
  await moveLead(query, lead, goals, isReached(call, goals), now)
  await scheduleTurn(query, campaign, now)
}
