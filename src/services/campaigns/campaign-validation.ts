import { requiredByChannel, requiredByFallback } from '../../contract/resources/campaigns.ts'
import { findOwnedIds } from '../../store/assistants/assistant-references.ts'
import type { Query } from '../../store/database/connection.ts'
import { findTemplate } from '../../store/messaging/message-templates.ts'
import { findSender } from '../../store/messaging/senders.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import type { FieldErrors } from '../assistants/assistant-validation.ts'
import type { CampaignChange, CampaignFields } from './campaign-fields.ts'

const toWords = (path: string): string => path.replaceAll('_', ' ')
const invalidSelection = (path: string): string[] => [`The selected ${toWords(path)} is invalid.`]

type IdField = 'messaging_sender_id' | 'messaging_template_id' | 'sms_from_phone_number_id'

/**
 * Validates the sender and its template, or the number that sends SMS. The prefix selects the fields of the campaign or
 * of its fallback.
 */
async function validateOutlet(
  query: Query,
  account: number,
  it: CampaignFields,
  prefix: '' | 'fallback_',
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const fieldValue = (field: IdField): number | null | undefined => it[`${prefix}${field}`]
  const [senderId, templateId, numberId] = [
    fieldValue('messaging_sender_id'),
    fieldValue('messaging_template_id'),
    fieldValue('sms_from_phone_number_id'),
  ]
  const sender = senderId ? await findSender(query, account, senderId) : undefined
  if (senderId && !sender) errors[`${prefix}messaging_sender_id`] = invalidSelection(`${prefix}messaging_sender_id`)
  // A template belongs to a sender, so an unknown sender makes the template invalid too.
  if (templateId && !(sender && (await findTemplate(query, sender, templateId))))
    errors[`${prefix}messaging_template_id`] = invalidSelection(`${prefix}messaging_template_id`)
  if (numberId) {
    const field = `${prefix}sms_from_phone_number_id`
    const owned = await findNumber(query, account, numberId)
    if (!owned) errors[field] = invalidSelection(field)
    else if (owned.number.sms_capable === 0) errors[field] = [`The selected ${toWords(field)} is not SMS capable.`]
  }
  return errors
}

/**
 * Validates the resources that a new campaign refers to: they must belong to the account and be usable for their
 * purpose. Returns error texts by field.
 */
export async function validateCampaign(query: Query, account: number, it: CampaignFields): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  if (it.assistant_id && (await findOwnedIds(query, 'assistant', account, [it.assistant_id])).size === 0)
    errors.assistant_id = invalidSelection('assistant_id')
  const numbers = it.phone_number_ids ?? []
  const ownedIds = await findOwnedIds(query, 'phone_number', account, numbers)
  for (const [n, id] of numbers.entries())
    if (!ownedIds.has(id)) errors[`phone_number_ids.${n}`] = invalidSelection(`phone_number_ids.${n}`)
  return {
    ...errors,
    ...(await validateOutlet(query, account, it, 'fallback_')),
    ...(await validateOutlet(query, account, it, '')),
  }
}

/**
 * Validates a changed campaign: what its channel and its fallback require cannot be cleared, and the resources that the
 * change refers to must be usable. Returns error texts by field.
 */
export async function validateChange(
  query: Query,
  account: number,
  it: CampaignFields,
  given: CampaignChange,
): Promise<FieldErrors> {
  const isGiven = (field: string): boolean => Object.hasOwn(given, field)
  const errors: FieldErrors = {}
  const required = (fields: readonly (keyof CampaignFields)[], when: string): void => {
    for (const field of fields)
      if (it[field] === null || it[field] === undefined)
        errors[field] = [`The ${toWords(field)} field is required when ${when}.`]
  }
  required(requiredByChannel[it.channel].filter(isGiven), `channel is ${it.channel}`)
  if (it.fallback_channel && Object.keys(given).some((field) => field.startsWith('fallback_')))
    required(requiredByFallback[it.fallback_channel], `fallback channel is ${it.fallback_channel}`)
  // A template belongs to its sender, so a new sender makes the template a part of the change.
  const isPart = (field: string): boolean => isGiven(field) || isGiven(field.replace('template_id', 'sender_id'))
  for (const [field, texts] of Object.entries(await validateCampaign(query, account, it)))
    if (isPart(field.replace(/\.\d+$/, ''))) errors[field] ??= texts
  return errors
}
