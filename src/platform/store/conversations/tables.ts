// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'
import type { CountTable } from '../counters/counted-list.ts'

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
  /** `open` or `ended`. */
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
  /** The restricted key that started it; null for none. */
  key_id: Generated<number | null>
}

/** Counters of `conversationList` (counted-lists.ts), which gives their columns. Triggers fill them; no code writes them. */
interface ConversationCountTable extends CountTable {
  assistant_id: number
  type: string
}

/** Message of a conversation. `idempotency_key` is that of the request that added it, if any. */
export interface MessageTable {
  id: Generated<number>
  account_id: number
  conversation_id: number
  /** `user` or `assistant`. */
  role: string
  content: string
  function_calls: string | null
  idempotency_key: Generated<string | null>
  created_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface ConversationTables {
  conversation: ConversationTable
  conversation_count: ConversationCountTable
  message: MessageTable
}
