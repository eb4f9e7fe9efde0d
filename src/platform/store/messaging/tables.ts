// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType, Generated } from 'kysely'
import type { FailureName } from '../../../contract/errors/failures.ts'
import type { JsonText } from '../../../node/json.ts'

/** The refusal returned for a failed message. It is stored, so that repeated requests get the same one. */
export interface StoredFailure {
  readonly kind: FailureName
  readonly text: string
  readonly code?: string
}

/** Sender of the messaging channel (section 2.8). `limit_known` is 0 until the channel has reported its limit. */
export interface SenderTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  display_name: string
  status: 'online' | 'offline'
  /** `GREEN`, `YELLOW` or `RED`. */
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
  /** `marketing`, `utility` or `authentication`. */
  category: string
  /** `approved`, `pending` or `rejected`. */
  status: string
  body_text: string
  variables: string
  is_synced: number
  is_voice_call: number
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
  failure: ColumnType<JsonText<StoredFailure> | null, string | null, string | null>
  created_at: number
  updated_at: number
  /** When it was last handed over to its provider, in milliseconds of the wall time; null if it was not. */
  handed_over_at: Generated<number | null>
  /** How many processes may still start a request, at most until a moment after `handed_over_at`; null for none. */
  open_hand_overs: Generated<number | null>
  /** 1 if it starts only in the hours of the account; otherwise null. */
  keeps_hours: Generated<number | null>
  /** 1 for the confirmation of an opt-out, which is sent to a blocked contact; otherwise null. */
  is_confirmation: Generated<number | null>
}

/** SMS submitted to its carrier: `sending -> sent`, or `failed` with a reason. */
export interface SmsMessageTable {
  id: Generated<number>
  account_id: number
  number_id: number
  sender: string
  recipient: string
  body: string
  state: 'sending' | 'sent' | 'failed'
  segments: number
  segment_price: number
  cost: number
  sms_sid: string | null
  delivery_status: string | null
  failure: string | null
  idempotency_key: string | null
  created_at: number
  updated_at: number
  /** When it was last handed over to its provider, in milliseconds of the wall time; null if it was not. */
  handed_over_at: Generated<number | null>
  /** How many processes may still start a request, at most until a moment after `handed_over_at`; null for none. */
  open_hand_overs: Generated<number | null>
  /** 1 if it starts only in the hours of the account; otherwise null. */
  keeps_hours: Generated<number | null>
}

/** The tables of this file by name, a part of the type of the database. */
export interface MessagingTables {
  sender: SenderTable
  message_template: MessageTemplateTable
  channel_message: ChannelMessageTable
  sms_message: SmsMessageTable
}
