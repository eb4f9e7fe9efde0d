// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'
import type { Delivery } from '../../../contract/control/deliveries.ts'

/** Event, written in the transaction that caused it. */
export interface OutboxTable {
  id: Generated<number>
  account_id: number
  /** `EventKind` of the contract. */
  kind: string
  /** What it is about: an id, or for events that are delivered in order `conversation 7`, `call 7`. */
  subject: string
  /** JSON. */
  payload: string
  created_at: number
  /** Time when every consumer has handled it. */
  handled_at: number | null
  /** Assistant or sender that it concerns, and the event that is delivered to a receiver; null if there is none. */
  assistant_id: Generated<number | null>
  sender_id: Generated<number | null>
  event: Generated<Delivery['event'] | null>
}

/**
 * Delivery of an event to a URL. Only the first pending delivery of a lane has a scheduled job; the others wait for it.
 * `message_id` is the same for every attempt. `pending`: an attempt is due or in progress; `delivered` and `failed` are final. `tries_left` counts down to 0, when the delivery has failed.
 */
export interface DeliveryTable {
  id: Generated<number>
  account_id: number
  /** Event that is delivered; null for a request that is sent while a call rings. */
  outbox_id: number | null
  message_id: string
  event: Delivery['event']
  /** Deliveries of one lane are sent in order: those of an account, receiver, subject and event (`addDelivery`). */
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
  /** Trace of the request that caused it, in the form of a `traceparent` header. */
  trace: Generated<string | null>
}

/** Attempt of a delivery. `answer` is the beginning of the response, `ms` the duration in milliseconds, `status` that of HTTP. */
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

/** Signing secret for the webhooks of an account, encrypted. The previous one also signs for some time. */
export interface WebhookSecretTable {
  account_id: number
  secret: string
  previous: string | null
  previous_until: number | null
  created_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface DeliveryTables {
  outbox: OutboxTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  webhook_secret: WebhookSecretTable
}
