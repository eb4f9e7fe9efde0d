/** How a state is to be judged: as it should be, in progress or to be watched, wrong, or neither. */
export type Tone = 'good' | 'pending' | 'bad' | 'plain'

/**
 * States by tone. Terminal and inspector color a state by this table, whatever resource it is of. A state that is missing
 * here has the color of ordinary text.
 */
const statesByTone: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    'active',
    'answered',
    'approved',
    'completed',
    'connected',
    'delivered',
    'enabled',
    'ended-by-assistant',
    'ended-by-customer',
    'green',
    'handled',
    'live',
    'ok',
    'online',
    'open',
    'passed',
    'processed',
    'published',
    'read',
    'same',
    'sent',
    'succeeded',
    'success',
    'verified',
  ],
  pending: [
    'busy',
    'ends',
    'frozen',
    'in-progress',
    'initiated',
    'newer',
    'no-answer',
    'partial',
    'paused',
    'pending',
    'processing',
    'queued',
    'rescheduled',
    'ringing',
    'running',
    'scheduled',
    'starting',
    'stopping',
    'unknown',
    'waiting',
    'warning',
    'yellow',
  ],
  bad: [
    'blacklisted',
    'blocked',
    'damaged',
    'drift',
    'error',
    'expired',
    'failed',
    'failed-again',
    'missing-connection',
    'missing-record',
    'offline',
    'reached-max-retries',
    'red',
    'rejected',
    'suspended',
    'test-failed',
    'undelivered',
    'wiring-error',
  ],
  plain: [
    'canceled',
    'cancelled',
    'closed',
    'disabled',
    'draft',
    'ended',
    'exhausted',
    'finished',
    'inactive',
    'none',
    'replayed',
    'stopped',
  ],
}

const tones = new Map(
  Object.entries(statesByTone).flatMap(([tone, states]) => states.map((it) => [it, tone as Tone] as const)),
)

/** Returns the tone of a state or of an HTTP status; undefined if it is not known. */
export const toneOf = (state: string): Tone | undefined =>
  tones.get(state.toLowerCase().replaceAll(/[ _]/g, '-')) ??
  (/^2\d\d$/.test(state) ? 'good' : /^[45]\d\d$/.test(state) ? 'bad' : undefined)

/** Returns a token in words: `would update` for `would_update`, `in progress` for `IN-PROGRESS`, `SMS` for `sms`. */
export const stateText = (state: string): string =>
  state
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
    .replaceAll(/\b(?:sip|sms)\b/g, (it) => it.toUpperCase())

/** What the state of a number depends on. */
interface NumberTerms {
  readonly has_active_subscription?: boolean
  readonly ends_at?: string | null
}

/**
 * Returns the state of a number: `active` with a subscription, `ends` when it is released at the end of the paid month,
 * `ended` after that; null for a number without a subscription, such as one of a SIP trunk. `now` is in milliseconds.
 */
export const numberState = ({ has_active_subscription, ends_at }: NumberTerms, now: number): string | null => {
  if (typeof ends_at === 'string') return Date.parse(ends_at) <= now ? 'ended' : 'ends'
  return has_active_subscription === true ? 'active' : null
}

/** Statuses of a lead, as the API names them. Rows of leads and sample data have them. */
export const leadStatuses = [
  'created',
  'scheduled',
  'processing',
  'completed',
  'rescheduled',
  'reached-max-retries',
  'blacklisted',
] as const

/** Statuses of a lead that its campaign contacts, and that waits for it. */
export const waitingLeadStatuses = ['created', 'scheduled', 'rescheduled'] as const
/** Statuses of a lead that its campaign contacts, or is contacting. With any other its campaign is done with it. */
export const openLeadStatuses = [...waitingLeadStatuses, 'processing'] as const

/** Statuses of a call that ended without being answered. */
export const unreachedCallStatuses: readonly string[] = ['busy', 'no-answer', 'failed']

/**
 * Statuses of a campaign that contacts people, now or at its start. The store, which imports no values, has the same list
 * (store/campaigns/campaigns.ts), and so has the command line (nouns/campaigns/resource.ts).
 */
const runningCampaignStatuses: readonly unknown[] = ['scheduled', 'in-progress']

/** Returns whether a campaign with a status contacts people, now or at its start. */
export const isRunningCampaign = (status: unknown): boolean => runningCampaignStatuses.includes(status)

/** Attempts per lead, and minutes between them, of a campaign that does not say. */
export const retryDefaults = { max_retries: 3, retry_interval: 60 } as const
