// Events of assistants, and their deliveries. Lanes and message ids are stored: the same event must get the same ones, or
// receivers get it twice or out of order.

import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import type { EventKind } from '../../../contract/control/events.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { toFlatTexts } from '../../../engine/pieces/respond.ts'
import { crypto } from '../../../node/crypto.ts'
import { messageOf } from '../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { maxDeliveryAttempts } from '../../jobs/webhook-retries.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { insertDelivery, scheduleLane } from '../../store/deliveries/deliveries.ts'
import { appendEvent, findEvent, markEventHandled, type OutboxRow } from '../../store/deliveries/outbox.ts'
import type { Deps } from '../runtime/deps.ts'
import { deterministicUuid } from '../runtime/deterministic-uuid.ts'

/**
 * Statuses of calls that were answered and did not fail. Only for these, the webhook is notified by default, values are extracted
 * (call-service.ts), and a campaign may have reached its goal (lead-outcomes.ts).
 */
export const answeredCallStatuses: ReadonlySet<unknown> = new Set([
  'completed',
  'ended',
  'ended_by_customer',
  'ended_by_assistant',
])

/**
 * Returns the payload a webhook receives, according to the assistant's settings; undefined when they exclude the event.
 */
export async function webhookPayload(
  query: AccountQuery,
  event: OutboxRow,
): Promise<Record<string, unknown> | undefined> {
  const payload: Record<string, unknown> = parseJson(event.payload)
  if (event.event !== 'post_call') return payload
  const assistant = await findAssistant(accountQuery(query, event.account_id), event.assistant_id ?? 0)
  const settings = parseJson(assistant?.settings ?? '{}')
  if ((settings.send_webhook_only_on_completed ?? true) && !answeredCallStatuses.has(payload.status)) return undefined
  if (settings.include_recording_in_webhook ?? true) return payload
  return withoutRecording(payload)
}

function withoutRecording({ recording_url: _, transfers, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(transfers)) return rest
  return { ...rest, transfers: transfers.map(({ recording_url: _, ...transfer }: Record<string, unknown>) => transfer) }
}

/**
 * Returns the id under which receivers know a message. It is unique, and always the same for one message: receivers ignore
 * an id they have seen, so the form of it never changes.
 */
export const createMessageId = ({ secret }: Pick<Deps, 'secret'>, label: string): string =>
  `msg_${deterministicUuid(secret(`message ${label}`, 40)).replaceAll('-', '')}`

type NewDelivery = Pick<OutboxRow, 'id' | 'account_id' | 'event' | 'subject' | 'assistant_id' | 'sender_id'> & {
  readonly url: string
  readonly payload: object
  readonly message: string
  readonly now: Micros
}

/**
 * Adds the delivery of an event to a URL, queued behind those of the same conversation or call. Does nothing when the
 * message id exists.
 */
export async function addDelivery(
  query: AccountQuery,
  { id, account_id, event, subject, assistant_id, sender_id, url, payload, message, now }: NewDelivery,
): Promise<void> {
  // Deliveries of one lane are sent in order. Pending rows have it, so it never changes.
  const lane = `${account_id} ${assistant_id ?? `sender ${sender_id}`} ${subject} ${event}`
  await insertDelivery(query, {
    account_id,
    outbox_id: id,
    message_id: message,
    event: requireValue(event),
    lane,
    assistant_id,
    sender_id,
    url,
    payload: stringifyJson(payload),
    status: 'pending',
    attempts: 0,
    tries_left: maxDeliveryAttempts,
    next_attempt_at: now,
    last_status: null,
    last_error: null,
    created_at: now,
    finished_at: null,
  })
  await scheduleLane(query, lane, now)
}

interface WebhookNotification {
  readonly account: number
  readonly assistant: number
  readonly event: SlotEvent
  readonly url: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Identifies the event: an event sent twice under the same key is delivered once. */
  readonly key?: string | undefined
}

/** Returns the kind of an event that was fired by hand. Stored and filtered by users: it never changes. */
const eventKind = (event: SlotEvent): EventKind => `fired.${event}`

/** Returns the conversation or call that a payload is about. Events of the same subject are delivered in order. Stored, and part of the lane: it never changes. */
const eventSubject = ({ conversation_id, id }: Readonly<Record<string, unknown>>): string =>
  conversation_id !== undefined ? `conversation ${conversation_id}` : `call ${id}`

/** Records an event that nothing receives, so that listeners get it. */
export const recordEvent = (
  deps: Deps,
  { account, event, payload }: Pick<WebhookNotification, 'account' | 'event' | 'payload'>,
): Promise<number> =>
  deps.connection.write({ account }, async (query) =>
    appendEvent(query, {
      account,
      kind: eventKind(event),
      subject: eventSubject(payload),
      payload,
      now: await deps.clock.now(query),
    }),
  )

/** Queues the delivery of an event to the webhook that holds it. */
export const notifyWebhook = (
  deps: Deps,
  { account, assistant, event, url, payload, key }: WebhookNotification,
): Promise<void> =>
  deps.connection.write({ account }, async (query) => {
    const now = await deps.clock.now(query)
    const subscriber = { event, assistant }
    const id = await appendEvent(query, {
      account,
      kind: eventKind(event),
      subject: eventSubject(payload),
      payload,
      now,
      notification: subscriber,
    })
    const row = await findEvent(query, id)
    const outgoing = row && (await webhookPayload(query, row))
    // A repeated event with the same key gets the same id, also from a later version: it never changes.
    const digest =
      key === undefined
        ? undefined
        : crypto().createHash('sha256').update(`${account} ${assistant} ${event} ${key}`).digest('hex').slice(0, 32)
    const message = digest === undefined ? createMessageId(deps, `event ${id} ${now}`) : `msg_${digest}`
    if (row && outgoing) await addDelivery(query, { ...row, url, payload: outgoing, message, now })
    await markEventHandled(query, id, now)
  })

/** Requests variables from the inbound-call webhook before the assistant answers; null when it returns none. */
export async function requestVariables(
  deps: Deps,
  { account, assistant, event, url, payload }: WebhookNotification,
): Promise<Record<string, string> | null> {
  const answer = await (await deps.events()).request({ account, assistant, event, url, payload })
  if (answer === undefined || answer === '') return null
  try {
    return toFlatTexts(parseJson(answer))
  } catch (error) {
    deps.log(`inbound webhook of assistant ${assistant}: ${messageOf(error)}`)
    return null
  }
}
