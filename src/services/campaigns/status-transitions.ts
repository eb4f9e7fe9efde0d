import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'

/** Statuses from which something that happens leads to another; `any` is every one. */
interface Transition<S extends string> {
  readonly from: readonly S[] | 'any'
  readonly to: S
}

/**
 * What moves a campaign: `start` and `stop` are its owner's; `begin` comes when the time of a scheduled one has come, `finish` when no lead is left.
 * A start whose time is still to come is a `schedule`. `fail` is for one that lost what it works with.
 */
export const campaignTransitions: Readonly<Record<CampaignEvent, Transition<CampaignStatus>>> = {
  start: { from: ['draft', 'paused', 'completed'], to: 'in-progress' },
  schedule: { from: ['draft', 'paused', 'completed'], to: 'scheduled' },
  begin: { from: ['scheduled'], to: 'in-progress' },
  stop: { from: ['scheduled', 'in-progress'], to: 'paused' },
  fail: { from: ['scheduled', 'in-progress'], to: 'paused' },
  finish: { from: ['in-progress'], to: 'completed' },
}
export type CampaignEvent = 'start' | 'schedule' | 'begin' | 'stop' | 'fail' | 'finish'

/**
 * What moves a lead: a campaign takes it up (`attempt`), which ends in success, in another try later (`retry`), or in none (`give_up`); `plan` gives it
 * a time, `block` is for who must not be contacted. Its owner may queue it again, or end it (section 2.3).
 */
export const leadTransitions: Readonly<Record<LeadEvent, Transition<LeadStatus>>> = {
  plan: { from: ['created', 'rescheduled'], to: 'scheduled' },
  attempt: { from: ['created', 'scheduled', 'rescheduled'], to: 'processing' },
  succeed: { from: ['processing'], to: 'completed' },
  retry: { from: ['processing'], to: 'rescheduled' },
  give_up: { from: ['processing', 'rescheduled'], to: 'reached-max-retries' },
  block: { from: ['created', 'scheduled', 'rescheduled', 'processing'], to: 'blacklisted' },
  queue_again: { from: 'any', to: 'created' },
  end: { from: 'any', to: 'completed' },
  end_unreached: { from: 'any', to: 'reached-max-retries' },
}
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

/** Statuses in which a lead waits for its campaign; in every other one nothing more is tried. */
export const waitingLeads: readonly LeadStatus[] = ['created', 'scheduled', 'rescheduled']

/** Where an event leads from a status; undefined where it cannot happen. */
export function nextStatus<S extends string, E extends string>(
  table: Readonly<Record<E, Transition<S>>>,
  event: E,
  from: S,
): S | undefined {
  const it = table[event]
  return it.from === 'any' || it.from.includes(from) ? it.to : undefined
}
