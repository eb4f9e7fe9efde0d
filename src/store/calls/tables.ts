import type { Generated } from 'kysely'

/** Tables of the fourth migration; the same conventions as in tables.ts. */

/**
 * A call: `dialling` until its carrier has it, `going` until it is over. `status` is what the wire shows, `total_cost` what was taken from the
 * balance. A campaign is named by what it was called when it called.
 */
export interface PhoneCallTable {
  id: Generated<number>
  account_id: number
  assistant_id: number | null
  campaign_id: number | null
  campaign_name: string | null
  type: 'inbound' | 'outbound' | 'web'
  state: 'dialling' | 'going' | 'over'
  status: string
  assistant_phone_number: string | null
  client_phone_number: string | null
  /** Seconds. */
  duration: number
  transcript: string | null
  variables: string
  evaluation: string | null
  answered_by: 'human' | 'machine' | 'unknown' | null
  recording_url: string | null
  carrier_cost: number
  total_cost: number
  idempotency_key: string | null
  sid: string | null
  created_at: number
  updated_at: number
  /** The lead a campaign called. */
  lead_id: Generated<number | null>
  /** What was said, turn by turn, as JSON; null where only the transcript is known. */
  turns: Generated<string | null>
  finished_at: Generated<number | null>
}

/** One SMS handed to its carrier: `sending -> sent`, or `failed` for the reason given. */
export interface SmsMessageTable {
  id: Generated<number>
  account_id: number
  number_id: number
  sender: string
  recipient: string
  body: string
  state: 'sending' | 'sent' | 'failed'
  segments: number
  segment_price: number
  cost: number
  sms_sid: string | null
  delivery_status: string | null
  failure: string | null
  idempotency_key: string | null
  created_at: number
  updated_at: number
}

/** The local carrier's own books of calls; `at` is when the call was placed. */
export interface LocalCallTable {
  key: string
  sid: string | null
  caller: string | null
  callee: string
  at: number
  failure: string | null
  /** How the call is to go, as JSON, where somebody has said so. */
  script: Generated<string | null>
}

/** The local carrier's own books of SMS. */
export interface LocalSmsTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  failure: string | null
}
