import { keyNouns } from '../access/scope-table.ts'
import { givenVariables, id, isE164, text, webAddress } from '../endpoint/field-schemas.ts'
import { assistants } from '../resources/assistants.ts'
import { automate } from '../resources/automate.ts'
import { answerers, callStatuses, callTypes } from '../resources/calls.ts'
import { campaignStatuses } from '../resources/campaigns.ts'
import { Conversation, FunctionCall } from '../resources/conversations.ts'
import { documentDraft, KnowledgeDocument } from '../resources/knowledge.ts'
import { MessageTemplate, Sender } from '../resources/messaging.ts'
import * as z from '../schema/schema.ts'
import { budgetPattern } from '../values/budgets.ts'
import { countries } from '../values/countries.ts'
import { keyScopes } from '../values/key-scopes.ts'
import { parseSampleTime } from '../values/sample-time.ts'
import { leadStatuses } from '../values/states.ts'
import { accounts } from './accounts.ts'

// Fields of sample data that requests of the API cannot set: states, times, and records that other parties create.
// Users have files with them: they are added, not renamed.

const time = z
  .string()
  .refine((it) => parseSampleTime(it, 0) !== undefined, {
    error: 'Use an ISO 8601 time, an age such as "3d ago", or "in 3d".',
  })
  .describe('ISO 8601 time, an age such as "3d ago", or "in 3d"')
const created = {
  created_at: time.optional().describe('ISO 8601 time, an age such as "3d ago", or "in 3d" (default: now)'),
}
/** Times that every record may have. */
export const times = { ...created, updated_at: time.optional().describe('Default: the time of creation') }
const phone = z.string().refine(isE164, { error: 'Use E.164, for example +14155550142.' })
const count = z.int().min(0)
const usd = z.number().min(0).max(1_000_000_000)
const uuid = z.guid().optional().describe('Default: derived from the seed, or random')
/** Name by which other records of the file refer to this one, if its own name is not unique. */
export const reference = { ref: text(255, 1).optional().describe('Name for references, if its own is not unique') }

export const groupingRecord = z.object({ ...reference, ...created })

export const toolRecord = z.object({
  ...reference,
  type: z.enum(['http', 'automation']).default('http').describe('Type of tool'),
  automation_id: z.string().optional().describe('Automation behind the tool: its name in this file, or its id'),
  ...times,
})

export const connectionRecord = z.object({ status: z.enum(['active', 'expired']).default('active'), ...times })

const DocumentRecord = z.object({
  name: documentDraft.shape.name,
  description: documentDraft.shape.description,
  type: documentDraft.shape.type.default('website'),
  url: documentDraft.shape.url,
  links: documentDraft.shape.links,
  relative_links_limit: documentDraft.shape.relative_links_limit,
  file: z.string().optional().describe('Name of an uploaded file'),
  status: KnowledgeDocument.shape.status.default('active'),
  error: z.string().nullable().default(null).describe('Why processing failed'),
  pages: z
    .array(z.object({ address: text(2048, 1), title: z.string().nullable().default(null), text: z.string() }))
    .default([])
    .describe('Text that assistants find'),
  ...times,
})
export const knowledgeRecord = z.object({
  ...reference,
  documents: z.array(DocumentRecord).default([]),
  ...times,
})

export const NumberRecord = z.object({
  ...reference,
  phone_number: phone.describe('Number, E.164'),
  type: z.enum(['normal', 'caller_id']).default('normal').describe('normal is bought; caller_id is a verified number'),
  country_code: z.enum(countries).describe('Country'),
  region: z.string().nullable().default(null),
  sms_capable: z.boolean().optional().describe('Default: true for type normal'),
  nickname: text(50).nullable().default(null),
  subscription: z
    .object({
      status: z.enum(['active', 'ending', 'past_due']).default('active'),
      renewal_day: z.int().min(1).max(31).optional().describe('Day of the month (default: that of its start)'),
      period_start: time.optional().describe('Default: the time of creation'),
      period_end: time.optional().describe('Default: a month later'),
    })
    .optional()
    .describe('Default for type normal: an active one'),
  ...created,
})

export const assistantRecord = z.object({
  ...reference,
  status: z.enum(['active', 'inactive']).default('active'),
  uuid,
  inbound_webhook_url: assistants.enableInboundWebhook.body.shape.webhook_url.nullable().optional(),
  ...times,
})

const TemplateRecord = z.object({
  ...reference,
  name: text(255, 1),
  language: text(20, 2).default('en'),
  category: MessageTemplate.shape.category.default('utility'),
  status: MessageTemplate.shape.status.default('approved'),
  body_text: z.string(),
  variables: MessageTemplate.shape.variables.default([]),
  is_synced: z.boolean().default(true),
  is_voice_call: z.boolean().default(false),
  ...created,
})
export const SenderRecord = z.object({
  ...reference,
  phone_number: phone.describe('Number, E.164'),
  display_name: text(255, 1),
  status: Sender.shape.status.default('online'),
  quality_rating: Sender.shape.quality_rating.default('GREEN'),
  messaging_limit: count
    .nullable()
    .optional()
    .describe('Recipients per 24 hours; null: unlimited (default: not known)'),
  voice_calling_enabled: z.boolean().default(false),
  assistant_id: id.nullable().default(null).describe('Assistant that replies'),
  templates: z.array(TemplateRecord).default([]),
  ...created,
})

export const automationRecord = z.object({
  ...reference,
  id: z
    .string()
    .regex(/^[\w-]{21}$/)
    .optional()
    .describe('Id of 21 characters, which its webhook URL contains (default: derived from the seed, or random)'),
  enabled: z.boolean().default(true),
  versions: z
    .array(z.object({ flow: automate.create.body.shape.flow, ...created }))
    .default([])
    .describe(
      'Versions that were published before, oldest first; the last change of the automation published its flow',
    ),
  ...times,
})

const leadState = {
  phone_number: phone.describe('Number, E.164'),
  variables: givenVariables.default({}),
  status: z.enum(leadStatuses).default('created'),
  attempts: count.default(0),
  last_attempt_at: time.nullable().default(null),
}
const LeadRecord = z.object({
  ...leadState,
  next_attempt_at: time.nullable().optional().describe('Default: now, if the status waits for an attempt'),
  fallback_sent_at: time.nullable().default(null),
  secondary_contacts: z.array(z.object({ ...leadState, ...times })).default([]),
  ...times,
})
export const campaignRecord = z.object({
  ...reference,
  status: z.enum(campaignStatuses).default('draft'),
  leads: z.array(LeadRecord).default([]),
  ...times,
})

const MessageRecord = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  function_calls: z.array(FunctionCall).nullable().default(null),
  ...created,
})
export const ConversationRecord = z.object({
  uuid,
  assistant_id: id.describe('Assistant'),
  type: Conversation.shape.type.default('widget'),
  status: z.enum(['open', 'ended']).default('open'),
  sender_id: id.nullable().default(null).describe('Sender, for type messaging'),
  customer_phone: phone.nullable().default(null),
  customer_name: z.string().nullable().default(null),
  external_identifier: z.string().nullable().default(null),
  variables: givenVariables.default({}),
  ai_enabled: z.boolean().default(true),
  total_cost: usd.default(0).describe('USD'),
  window_until: time.nullable().default(null).describe('End of the 24-hour window'),
  last_customer_message_at: time.nullable().default(null),
  ended_at: time.nullable().default(null),
  ends: count.optional().describe('How often it has ended (default: 1 if it has)'),
  messages: z.array(MessageRecord).default([]),
  ...times,
})

export const CallRecord = z.object({
  assistant_id: id.nullable().default(null).describe('Assistant'),
  campaign_id: id.nullable().default(null).describe('Campaign'),
  type: z.enum(callTypes).default('inbound'),
  status: z.enum(callStatuses).default('completed'),
  assistant_phone_number: z.string().nullable().default(null),
  client_phone_number: z.string().nullable().default(null),
  duration: count.default(0).describe('Seconds'),
  transcript: z.string().nullable().default(null),
  variables: givenVariables.default({}),
  evaluation: z.record(z.string(), z.unknown()).nullable().default(null),
  answered_by: z.enum(answerers).nullable().default(null),
  recording_url: webAddress(2048).nullable().default(null),
  carrier_cost: usd.default(0).describe('USD'),
  total_cost: usd.default(0).describe('USD'),
  turns: z.array(z.record(z.string(), z.unknown())).nullable().default(null),
  finished_at: time.nullable().default(null),
  ...times,
})

export const KeyRecord = z.object({
  name: text(255, 1),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('SHA-256 hash of the secret part, in hexadecimal (default: a new secret)'),
  last_used_at: time.nullable().default(null),
  scope: z.enum(keyScopes).nullable().default(null).describe('What the key may do (default: all but approve)'),
  nouns: z.array(z.enum(keyNouns)).nullable().default(null).describe('Resources that the key may use (default: all)'),
  budget: z
    .string()
    .regex(budgetPattern)
    .nullable()
    .default(null)
    .describe('Most that the key may spend, in USD: 20/day, 100/month (default: no limit)'),
  expires_at: time.nullable().default(null).describe('Time when the key expires (default: never)'),
  ...created,
})

const draft = accounts.create.body.shape
export const AccountRecord = z.object({
  name: draft.name,
  email: draft.email,
  kind: draft.kind,
  balance: draft.balance,
  minute_rate: draft.minute_rate,
  payment_method: draft.payment_method,
  max_campaigns: count.nullable().default(null).describe('Maximum campaigns of its plan (default: unlimited)'),
  ...created,
})
