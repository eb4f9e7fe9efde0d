// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'

/**
 * Call: `dialling` until its carrier has accepted it, `going` until it is `over`. `status` is one of `callStatuses` of the contract;
 * `total_cost` is the amount charged. `campaign_name` is the name of the campaign at the time of the call.
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
  /** Lead that a campaign called. */
  lead_id: Generated<number | null>
  /** Transcript by turns as JSON; null if only the text transcript is known. */
  turns: Generated<string | null>
  finished_at: Generated<number | null>
  /** The restricted key that started it; null for none. */
  key_id: Generated<number | null>
  /** When it was last handed over to its provider, in milliseconds of the wall time; null if it was not. */
  handed_over_at: Generated<number | null>
  /** How many processes may still start a request, at most until a moment after `handed_over_at`; null for none. */
  open_hand_overs: Generated<number | null>
  /** 1 if it starts only in the hours of the account; otherwise null. */
  keeps_hours: Generated<number | null>
}

/** The tables of this file by name, a part of the type of the database. */
export interface CallTables {
  phone_call: PhoneCallTable
}
