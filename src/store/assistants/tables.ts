import type { Generated } from 'kysely'
import type { EngineMode } from '../../contract/assistants/engine-modes.ts'
import type { CountTable } from '../counters/counted-list.ts'

/** Tables of the second migration; the same conventions as in tables.ts. */

/** Folders sort assistants, one each. */
export interface FolderTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Labels sort assistants, any number each. */
export interface LabelTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** A knowledge base of an account. */
export interface KnowledgeBaseTable {
  id: Generated<number>
  account_id: number
  name: string
  description: string | null
  created_at: number
  updated_at: number
}

/** A document of a knowledge base; `source` is what it is made from, as JSON. */
export interface KnowledgeDocumentTable {
  id: Generated<number>
  account_id: number
  knowledge_base_id: number
  name: string
  description: string | null
  type: 'website' | 'pdf' | 'txt' | 'docx'
  status: 'processing' | 'active' | 'failed'
  source: string
  /** Why it could not be read. */
  failure: Generated<string | null>
  created_at: number
  updated_at: number
}

/**
 * An assistant. `settings` holds, as JSON by their names on the wire, all fields that have neither a column nor a table of their own.
 * A deleted one keeps its row, for the conversations it had, and nothing else: ask for assistants with `deleted_at` null.
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

/** Which labels an assistant has. */
export interface AssistantLabelTable {
  account_id: number
  assistant_id: number
  label_id: number
}

/** Which mid-call tools an assistant has, in order. */
export interface AssistantToolTable {
  account_id: number
  assistant_id: number
  tool_id: number
  position: number
}

/** Who is told of an event of an assistant: one automation or one webhook (section 6.3). `target` is its id or address. */
export interface EventSlotTable {
  account_id: number
  assistant_id: number
  event: string
  holder: 'webhook' | 'automation'
  target: string
  created_at: number
}

/** A sender of the messaging channel (section 2.8). `limit_known` is 0 while the channel has not told its limit. */
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
  /** Where the delivery status of its messages is told, and the sealed secret that is signed with. */
  webhook_url: Generated<string | null>
  webhook_secret: Generated<string | null>
}

/** A template of a sender (section 2.9). */
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

/** A conversation (section 2.7). `window_until` is the end of its 24-hour window; `ends` counts how often it has ended, the last time at `ended_at`. */
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

/** One message of a conversation; `idempotency_key` is of the request that brought it, when its sender gave one. */
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
 * One message handed to the channel: `sending -> sent`, with its delivery status, or `failed`, with what is answered to who sent it.
 * `message_id` is set once it is part of its conversation; `placeholders` are the values of its template's, in order.
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
 * What makes a number of type `sip` a trunk (section 2.12). The password is encrypted. `phone_number` repeats the number's own, so that the
 * database itself refuses a second trunk of the same number, user and server. `version` grows with every change.
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
 * A trunk at the voice infrastructure, from before it is asked for (`wanted`) until it is gone there too. Every one that is not `live` has due
 * work that takes it away; `number_id` is known while it is live.
 */
export interface ProvisionedTrunkTable {
  id: Generated<number>
  account_id: number
  number_id: number | null
  direction: 'inbound' | 'outbound'
  state: 'wanted' | 'live' | 'unwanted'
  created_at: number
}

/** The local channel provider's own books. */
export interface LocalChannelSendTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  media_url: string | null
  failure: string | null
}

/** When requests under a limit were let through, as JSON: the latest, as many as the limit allows. */
export interface RequestLogTable {
  account_id: number
  name: string
  times: string
}

/** The local voice infrastructure's own books, a line a key: a trunk (`id`), a refusal (`failure`), or the end of either (`deleted`). Passwords are not in them. */
export interface LocalTrunkTable {
  key: string
  id: string | null
  direction: string | null
  configuration: string | null
  failure: string | null
  deleted: number
}
