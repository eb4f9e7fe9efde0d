import type { Generated } from 'kysely'

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

export interface CallTables {
  phone_call: PhoneCallTable
}
