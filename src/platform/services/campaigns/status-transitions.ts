import { openLeadStatuses, waitingLeadStatuses } from '../../../contract/values/states.ts'
import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'

/** The statuses in which an event is possible (`any` for all), and the status it leads to. */
interface Transition<S extends string> {
  readonly from: readonly S[] | 'any'
  readonly to: S
}

/**
 * Status transitions of campaigns. The owner causes `start` and `stop`; a start with a future start time is a
 * `schedule`. `begin` happens at that time, `finish` when no lead remains, and `fail` when required fields or the
 * balance are missing. A campaign with a status of `start` is not live (contract/access/live-changes.ts).
 */
export const campaignTransitions: Readonly<Record<CampaignEvent, Transition<CampaignStatus>>> = {
  start: { from: ['draft', 'paused', 'completed'], to: 'in-progress' },
  schedule: { from: ['draft', 'paused', 'completed'], to: 'scheduled' },
  begin: { from: ['scheduled'], to: 'in-progress' },
  stop: { from: ['scheduled', 'in-progress'], to: 'paused' },
  fail: { from: ['scheduled', 'in-progress'], to: 'paused' },
  finish: { from: ['in-progress'], to: 'completed' },
}
/** An event that changes the status of a campaign. */
export type CampaignEvent = 'start' | 'schedule' | 'begin' | 'stop' | 'fail' | 'finish'

/**
 * Status transitions of leads. A campaign starts an `attempt`, which ends in `succeed`, in another attempt later
 * (`retry`), or in `give_up`. `plan` sets a time; `block` marks a lead that must not be contacted. The owner may queue
 * a lead again or end it (section 2.3).
 */
export const leadTransitions: Readonly<Record<LeadEvent, Transition<LeadStatus>>> = {
  plan: { from: ['created', 'rescheduled'], to: 'scheduled' },
  attempt: { from: waitingLeadStatuses, to: 'processing' },
  succeed: { from: ['processing'], to: 'completed' },
  retry: { from: ['processing'], to: 'rescheduled' },
  give_up: { from: ['processing', 'rescheduled'], to: 'reached-max-retries' },
  block: { from: openLeadStatuses, to: 'blacklisted' },
  queue_again: { from: 'any', to: 'created' },
  end: { from: 'any', to: 'completed' },
  end_unreached: { from: 'any', to: 'reached-max-retries' },
}
/** An event that changes the status of a lead. */
export type LeadEvent =
  | 'plan'
  | 'attempt'
  | 'succeed'
  | 'retry'
  | 'give_up'
  | 'block'
  | 'queue_again'
  | 'end'
  | 'end_unreached'

/** Statuses in which a lead waits for its campaign. In every other status the campaign does not start it. */
export const waitingLeads: readonly LeadStatus[] = waitingLeadStatuses

/** Returns the status after an event; undefined when the event is not possible in the current status. */
export function nextStatus<S extends string, E extends string>(
  table: Readonly<Record<E, Transition<S>>>,
  event: E,
  from: S,
): S | undefined {
  const transition = table[event]
  return transition.from === 'any' || transition.from.includes(from) ? transition.to : undefined
}
