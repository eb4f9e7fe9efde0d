import type { Generated } from 'kysely'
import type { campaignStatuses, channels } from '../../contract/resources/campaigns.ts'
import type { leadStatuses } from '../../contract/resources/leads.ts'
import type { CountTable } from '../counters/counted-list.ts'

export type Channel = (typeof channels)[number]
export type CampaignStatus = (typeof campaignStatuses)[number]
export type LeadStatus = (typeof leadStatuses)[number]

/**
 * A campaign. `settings` holds, as JSON by their names on the wire, all fields that have neither a column nor a table of their own.
 * `starts_at` is the moment its `scheduled_start_at` means. A deleted one is there only until its leads are gone: ask for `deleted_at` null.
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
}

/** Which numbers a campaign calls from, in order. */
export interface CampaignNumberTable {
  account_id: number
  campaign_id: number
  number_id: number
  position: number
}

/**
 * A lead (section 2.3). `attempts` counts the tries since it was queued; `next_attempt_at` is when it is wanted next, null when nothing more will be tried.
 * `contacts` is how many secondary contacts it has.
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

/** Who else to call for a lead, in the order of their ids. */
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

export interface LeadCountTable extends CountTable {
  campaign_id: number
  status: string
}

export interface CampaignTables {
  campaign: CampaignTable
  campaign_number: CampaignNumberTable
  lead: LeadTable
  lead_contact: LeadContactTable
  lead_count: LeadCountTable
}
