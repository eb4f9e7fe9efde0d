import type { Generated } from 'kysely'

/** Tables of the seventh migration; the same conventions as in tables.ts. */

/**
 * One event on its way to one address. Of the pending ones of a lane only the first has due work: the others wait for it. `message_id` is what the
 * receiver knows it by, the same for every attempt; `tries_left` counts down to 0, then it has failed.
 */
export interface DeliveryTable {
  id: Generated<number>
  account_id: number
  /** The event it tells; null for a question that is asked while a call rings. */
  outbox_id: number | null
  message_id: string
  event: string
  lane: string
  assistant_id: number | null
  sender_id: number | null
  url: string
  payload: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  tries_left: number
  next_attempt_at: number | null
  last_status: number | null
  last_error: string | null
  created_at: number
  finished_at: number | null
}

/** One attempt; `answer` is how the receiver's answer begins, `ms` how long it took. */
export interface DeliveryAttemptTable {
  id: Generated<number>
  account_id: number
  delivery_id: number
  number: number
  at: number
  status: number | null
  error: string | null
  answer: string | null
  ms: number
}

/** What webhooks of an account are signed with, sealed. The one before is signed with too for a while. */
export interface WebhookSecretTable {
  account_id: number
  secret: string
  previous: string | null
  previous_until: number | null
  created_at: number
}

/** How the next calls to a number are to go, in order: the local carrier's own books. */
export interface LocalScriptTable {
  id: Generated<number>
  callee: string
  script: string
}

/** What the local channel says of a sender where it differs from what the platform knew: its own books. */
export interface LocalSenderTable {
  phone_number: string
  status: string | null
  quality_rating: string | null
  messaging_limit: number | null
  limit_known: number | null
}

/** What the local channel says of a template: its own books. */
export interface LocalTemplateTable {
  sender: string
  name: string
  language: string
  status: string
}
