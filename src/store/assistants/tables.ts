import type { Generated } from 'kysely'
import type { EngineMode } from '../../contract/assistants/engine-modes.ts'
import type { CountTable } from '../counters/counted-list.ts'

/** Tables of the second migration, with the conventions of src/store/database/tables.ts. */

/** Folder of assistants. An assistant is in at most one. */
export interface FolderTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Label of assistants. An assistant has any number of them. */
export interface LabelTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Knowledge base of an account. */
export interface KnowledgeBaseTable {
  id: Generated<number>
  account_id: number
  name: string
  description: string | null
  created_at: number
  updated_at: number
}

/** Document of a knowledge base. `source` is its origin as JSON. */
export interface KnowledgeDocumentTable {
  id: Generated<number>
  account_id: number
  knowledge_base_id: number
  name: string
  description: string | null
  type: 'website' | 'pdf' | 'txt' | 'docx'
  status: 'processing' | 'active' | 'failed'
  source: string
  /** Reason why the document could not be processed. */
  failure: Generated<string | null>
  created_at: number
  updated_at: number
}

/**
 * Assistant. `settings` is JSON with all fields, by wire name, that have neither a column nor a separate table.
 * A deleted assistant keeps its row for its conversations; queries must require `deleted_at` to be null.
 */
export interface AssistantTable {
  id: Generated<number>
  account_id: number
  uuid: string
  name: string
  type: 'inbound' | 'outbound'
  mode: EngineMode
  status: 'active' | 'inactive'
  phone_number_id: number | null
  folder_id: number | null
  knowledgebase_id: number | null
  settings: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** Labels of an assistant. */
export interface AssistantLabelTable {
  account_id: number
  assistant_id: number
  label_id: number
}

/** Mid-call tools of an assistant, in order. */
export interface AssistantToolTable {
  account_id: number
  assistant_id: number
  tool_id: number
  position: number
}

/** Receiver of an event of an assistant: one automation or one webhook (section 6.3). `target` is its id or URL. */
export interface EventSlotTable {
  account_id: number
  assistant_id: number
  event: string
  holder: 'webhook' | 'automation'
  target: string
  created_at: number
}

/** Sender of the messaging channel (section 2.8). `limit_known` is 0 until the channel has reported its limit. */
export interface SenderTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  display_name: string
  status: 'online' | 'offline'
  quality_rating: string
  messaging_limit: number | null
  limit_known: number
  voice_calling_enabled: number
  assistant_id: number | null
  created_at: number
  /** URL that receives the delivery status of its messages, and the encrypted signing secret. */
  webhook_url: Generated<string | null>
  webhook_secret: Generated<string | null>
}

/** Message template of a sender (section 2.9). */
export interface MessageTemplateTable {
  id: Generated<number>
  account_id: number
  sender_id: number
  name: string
  language: string
  category: string
  status: string
  body_text: string
  variables: string
  is_synced: number
  is_voice_call: number
  created_at: number
}

/**
 * Conversation (section 2.7). `window_until` is the end of its 24-hour window. `ends` counts how often it has ended,
 * most recently at `ended_at`.
 */
export interface ConversationTable {
  id: Generated<number>
  account_id: number
  uuid: string
  assistant_id: number
  type: 'test' | 'widget' | 'messaging' | 'api'
  status: string
  sender_id: number | null
  customer_phone: string | null
  customer_name: string | null
  external_identifier: string | null
  variables: string
  message_count: number
  total_cost: number
  ai_enabled: number
  window_until: number | null
  last_customer_message_at: number | null
  created_at: number
  updated_at: number
  ended_at: Generated<number | null>
  ends: Generated<number>
}

export interface ConversationCountTable extends CountTable {
  assistant_id: number
  type: string
}

/** Message of a conversation. `idempotency_key` is that of the request that added it, if any. */
export interface MessageTable {
  id: Generated<number>
  account_id: number
  conversation_id: number
  role: string
  content: string
  function_calls: string | null
  idempotency_key: Generated<string | null>
  created_at: number
}

/**
 * Message submitted to the channel: `sending -> sent`, with its delivery status, or `failed`, with the error for the
 * caller. `message_id` is set once it is part of its conversation. `placeholders` are the values of its template's
 * placeholders, in order.
 */
export interface ChannelMessageTable {
  id: Generated<number>
  account_id: number
  sender_id: number
  conversation_id: number | null
  message_id: number | null
  template_id: number | null
  recipient_phone: string
  state: 'sending' | 'sent' | 'failed'
  idempotency_key: string | null
  message_sid: string | null
  delivery_status: string | null
  cost: number
  body: string
  placeholders: string | null
  media_url: string | null
  filename: string | null
  failure: string | null
  created_at: number
  updated_at: number
}

/**
 * SIP trunk of a number of type `sip` (section 2.12). The password is encrypted. `version` increases with every change.
 * `phone_number` repeats that of the number, so that a unique index prevents a second trunk with the same number, user
 * and server.
 */
export interface SipTrunkTable {
  number_id: number
  account_id: number
  phone_number: string
  version: number
  trunk_type: string
  sip_username: string
  sip_password: string
  sip_address: string
  calling_format: string
  authorization_type: string
  allowed_ips: string | null
  outbound_proxy: number
  country_code: string
  inbound_trunk_id: string
  outbound_trunk_id: string
  created_at: number
  updated_at: number
}

/**
 * Trunk at the voice infrastructure, from before it is requested (`wanted`) until it is deleted there.
 * Every trunk that is not `live` has a scheduled job that deletes it. `number_id` is set while it is live.
 */
export interface ProvisionedTrunkTable {
  id: Generated<number>
  account_id: number
  number_id: number | null
  direction: 'inbound' | 'outbound'
  state: 'wanted' | 'live' | 'unwanted'
  created_at: number
}

/** Messages recorded by the simulated channel provider. */
export interface LocalChannelSendTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  media_url: string | null
  failure: string | null
}

/** Times of the accepted requests under a rate limit, as JSON: the latest, as many as the limit allows. */
export interface RequestLogTable {
  account_id: number
  name: string
  times: string
}

/**
 * State of the simulated voice infrastructure, one row per key: a trunk (`id`), an error (`failure`), or the deletion
 * of either (`deleted`). Has no passwords.
 */
export interface LocalTrunkTable {
  key: string
  id: string | null
  direction: string | null
  configuration: string | null
  failure: string | null
  deleted: number
}
