import type { Generated } from 'kysely'

/** Tables of the seventh migration, with the conventions of src/store/database/tables.ts. */

/**
 * Delivery of an event to a URL. Only the first pending delivery of a lane has a scheduled job; the others wait for it.
 * `message_id` is the same for every attempt. `tries_left` counts down to 0, when the delivery has failed.
 */
export interface DeliveryTable {
  id: Generated<number>
  account_id: number
  /** Event that is delivered; null for a request that is sent while a call rings. */
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

/** Attempt of a delivery. `answer` is the beginning of the response, `ms` the duration. */
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

/** Scripted courses of the next calls to a number, in order, for the simulated carrier. */
export interface LocalScriptTable {
  id: Generated<number>
  callee: string
  script: string
}

/** State of a sender on the simulated channel, if it differs from what the platform knew. */
export interface LocalSenderTable {
  phone_number: string
  status: string | null
  quality_rating: string | null
  messaging_limit: number | null
  limit_known: number | null
}

/** State of a template on the simulated channel. */
export interface LocalTemplateTable {
  sender: string
  name: string
  language: string
  status: string
}
