// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'
import type { campaignStatuses, channels } from '../../../contract/resources/campaigns.ts'
import type { leadStatuses } from '../../../contract/values/states.ts'
import type { CountTable } from '../counters/counted-list.ts'

/** How a campaign contacts its leads. */
export type Channel = (typeof channels)[number]
/** State of a campaign. The contract lists the values. */
export type CampaignStatus = (typeof campaignStatuses)[number]
/** State of a lead in its campaign. The contract lists the values. */
export type LeadStatus = (typeof leadStatuses)[number]

/**
 * Campaign. `settings` is JSON with all fields, by wire name, that have neither a column nor a separate table.
 * `starts_at` is `scheduled_start_at` as a timestamp: campaign-fields.ts writes both together. A deleted campaign exists until its leads are deleted; queries
 * must require `deleted_at` to be null.
 */
export interface CampaignTable {
  id: Generated<number>
  account_id: number
  name: string
  channel: Channel
  status: CampaignStatus
  assistant_id: number | null
  sms_number_id: number | null
  fallback_number_id: number | null
  settings: string
  starts_at: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
  /** The restricted key that started it; null for none. */
  key_id: Generated<number | null>
}

/** Numbers that a campaign calls from, in order. */
interface CampaignNumberTable {
  account_id: number
  campaign_id: number
  number_id: number
  position: number
}

/**
 * Lead (section 2.3). `attempts` counts the attempts since it was queued. `next_attempt_at` is the time of the next
 * attempt, null if there is none. `contacts` is the number of its secondary contacts. `variables` is JSON: texts by name.
 */
export interface LeadTable {
  id: Generated<number>
  account_id: number
  campaign_id: number
  phone_number: string
  variables: string
  status: LeadStatus
  contacts: number
  attempts: number
  next_attempt_at: number | null
  last_attempt_at: number | null
  fallback_sent_at: number | null
  created_at: number
  updated_at: number
}

/** Secondary contact of a lead, in the order of ids. */
export interface LeadContactTable {
  id: Generated<number>
  account_id: number
  lead_id: number
  phone_number: string
  variables: string
  status: LeadStatus
  attempts: number
  last_attempt_at: number | null
  created_at: number
  updated_at: number
}

/** Counters of `leadList` (counted-lists.ts), which gives their columns. Triggers fill them; no code writes them. */
interface LeadCountTable extends CountTable {
  campaign_id: number
  status: string
}

/** The tables of this file by name, a part of the type of the database. */
export interface CampaignTables {
  campaign: CampaignTable
  campaign_number: CampaignNumberTable
  lead: LeadTable
  lead_contact: LeadContactTable
  lead_count: LeadCountTable
}
