import { type HandlerInput, inapplicableFields } from '../../../contract/endpoint/endpoint.ts'
import { type Campaign, campaigns, dateTimePattern, requiredByChannel } from '../../../contract/resources/campaigns.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { localToMillis } from '../../../contract/values/zone-offset.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { CampaignRow, CampaignWithNumbers } from '../../store/campaigns/campaigns.ts'

/**
 * Returns the time that a date and time of day denote: by its offset if it has one, else in the given zone. A time that
 * the zone skips is moved by the length of the gap.
 */
export function parseZonedTime(text: string, zone: string): Micros {
  const [, date, time, seconds = '', offset] = dateTimePattern.exec(text) ?? []
  if (offset !== undefined) return Date.parse(`${date}T${time}${seconds}${offset}`) * 1000
  return localToMillis(Date.parse(`${date}T${time}${seconds}Z`), zone) * 1000
}

/** The input for a new campaign, with defaults filled in. */
export type CampaignDraft = HandlerInput<typeof campaigns.create>
/** The input for a change: only the given fields, null to clear one. */
export type CampaignChange = Omit<HandlerInput<typeof campaigns.update>, 'id'>
/** All settings of a campaign. A setting that was not given is null. */
export type CampaignFields = Omit<Campaign, 'id' | 'status' | 'created_at' | 'updated_at'>

type CampaignColumns = Pick<
  CampaignRow,
  'name' | 'channel' | 'assistant_id' | 'sms_number_id' | 'fallback_number_id' | 'settings' | 'starts_at'
>

/** Returns the settings of a new campaign, without those that do not apply to its channel. */
export function fieldsFromDraft(draft: CampaignDraft): CampaignFields {
  const inapplicable = new Set(inapplicableFields(campaigns.create.conditionalFields, draft.channel))
  return Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => value !== undefined && !inapplicable.has(name)),
  ) as CampaignFields
}

/** Returns the given fields of a change that apply to the channel of the campaign. */
export function changedFields(channel: string, change: CampaignChange): CampaignChange {
  const inapplicable = new Set(inapplicableFields(campaigns.update.conditionalFields, channel))
  return Object.fromEntries(
    Object.entries(change).filter(([name, value]) => value !== undefined && !inapplicable.has(name)),
  )
}

/**
 * Returns the columns of the campaign's row. Its numbers have a separate table. A start time without offset is in the
 * campaign's time zone, or in UTC.
 */
export function toColumns(fields: CampaignFields): CampaignColumns {
  const {
    name,
    channel,
    assistant_id,
    sms_from_phone_number_id,
    fallback_sms_from_phone_number_id,
    phone_number_ids: _,
    ...rest
  } = fields
  return {
    name,
    channel,
    assistant_id: assistant_id ?? null,
    sms_number_id: sms_from_phone_number_id ?? null,
    fallback_number_id: fallback_sms_from_phone_number_id ?? null,
    starts_at: fields.scheduled_start_at ? parseZonedTime(fields.scheduled_start_at, fields.timezone ?? 'UTC') : null,
    settings: stringifyJson(rest),
  }
}

/** Returns the settings of a stored campaign, gathered from its tables. */
export function fieldsFromRow({ row, numbers }: CampaignWithNumbers): Partial<CampaignFields> {
  return {
    ...parseJson(row.settings),
    name: row.name,
    channel: row.channel,
    assistant_id: row.assistant_id,
    sms_from_phone_number_id: row.sms_number_id,
    fallback_sms_from_phone_number_id: row.fallback_number_id,
    phone_number_ids: row.channel === 'call' ? numbers : null,
  }
}

/** Returns the required fields that a campaign has lost because the resource they referred to was deleted. */
export const missingFields = (campaign: CampaignWithNumbers): string[] => {
  const fields = fieldsFromRow(campaign)
  return requiredByChannel[campaign.row.channel].filter(
    (field) => fields[field] === null || fields[field] === undefined,
  )
}
