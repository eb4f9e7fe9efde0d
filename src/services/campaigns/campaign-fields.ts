import type { HandlerInput } from '../../contract/mechanics/endpoint.ts'
import {
  type Campaign,
  type campaigns,
  ignoredChannelFields,
  requiredByChannel,
} from '../../contract/resources/campaigns.ts'
import type { CampaignRow, CampaignWithNumbers } from '../../store/campaigns/campaigns.ts'
import { parseZonedTime } from './zoned-time.ts'

/** A new campaign as callers give it, defaults filled in. */
export type CampaignDraft = HandlerInput<typeof campaigns.create>
/** Everything a campaign may be told, null where it was not. */
export type CampaignFields = Omit<Campaign, 'id' | 'status' | 'created_at' | 'updated_at'>

type CampaignColumns = Pick<
  CampaignRow,
  'name' | 'channel' | 'assistant_id' | 'sms_number_id' | 'fallback_number_id' | 'settings' | 'starts_at'
>

/** What a request for a new campaign makes: without what means nothing on its channel. */
export function fieldsFromDraft(draft: CampaignDraft): CampaignFields {
  const inapplicable = new Set(ignoredChannelFields(draft.channel))
  return Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => value !== undefined && !inapplicable.has(name)),
  ) as CampaignFields
}

/** The columns a campaign is kept in; its numbers have a table of their own. A time without a zone of its own is in the campaign's, else in UTC. */
export function toColumns(it: CampaignFields): CampaignColumns {
  const {
    name,
    channel,
    assistant_id,
    sms_from_phone_number_id,
    fallback_sms_from_phone_number_id,
    phone_number_ids: _,
    ...rest
  } = it
  return {
    name,
    channel,
    assistant_id: assistant_id ?? null,
    sms_number_id: sms_from_phone_number_id ?? null,
    fallback_number_id: fallback_sms_from_phone_number_id ?? null,
    starts_at: it.scheduled_start_at ? parseZonedTime(it.scheduled_start_at, it.timezone ?? 'UTC') : null,
    settings: JSON.stringify(rest),
  }
}

/** What a campaign was told, gathered from where it is kept. */
export function fieldsFromRow({ row, numbers }: CampaignWithNumbers): Partial<CampaignFields> {
  return {
    ...JSON.parse(row.settings),
    name: row.name,
    channel: row.channel,
    assistant_id: row.assistant_id,
    sms_from_phone_number_id: row.sms_number_id,
    fallback_sms_from_phone_number_id: row.fallback_number_id,
    phone_number_ids: row.channel === 'call' ? numbers : null,
  }
}

/** What a campaign cannot do without and has lost: fields whose thing was deleted. */
export const missingFields = (it: CampaignWithNumbers): string[] => {
  const fields = fieldsFromRow(it)
  return requiredByChannel[it.row.channel].filter((field) => fields[field] === null || fields[field] === undefined)
}
