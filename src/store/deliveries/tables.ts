import type { Generated } from 'kysely'

/** What has happened, written in the transaction that made it happen. */
export interface OutboxTable {
  id: Generated<number>
  account_id: number
  kind: string
  subject: string
  payload: string
  created_at: number
  /** When every consumer has seen it. */
  handled_at: number | null
  /** Whom it is about, and the event of theirs that somebody is told of; null when nobody is. */
  assistant_id: Generated<number | null>
  sender_id: Generated<number | null>
  event: Generated<string | null>
}

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

export interface DeliveryTables {
  outbox: OutboxTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  webhook_secret: WebhookSecretTable
}
