import { scheduleJob } from '../../jobs/job-loop.ts'
import { findSlot, type SlotEvent } from '../../store/assistants/event-slots.ts'
import { findRunWebhook } from '../../store/automations/run-webhooks.ts'
import type { Query } from '../../store/database/connection.ts'
import { appendEvent, type NewEvent } from '../../store/deliveries/outbox.ts'
import { findSenderWebhook } from '../../store/messaging/senders.ts'

/** Kind of the due work that takes an event to whoever is told of it. Its subject is the event's id. */
export const eventJobKind = 'event'

export type AssistantEventRecord = Omit<NewEvent, 'told'> & {
  readonly assistant: number
  readonly event: SlotEvent
  readonly isDeferred?: boolean
}

/** Records what happened to an assistant, and has whoever holds the event's slot told of it, all in the caller's transaction; later, where the event is held. Answers its id. */
export async function publishEvent(
  query: Query,
  { assistant, event, isDeferred = false, ...details }: AssistantEventRecord,
): Promise<number> {
  const slot = await findSlot(query, assistant, event)
  const id = await appendEvent(query, { ...details, ...(slot && { notification: { event, assistant } }) })
  if (slot && !isDeferred)
    await scheduleJob(query, { account: details.account, kind: eventJobKind, subject: String(id), at: details.now })
  return id
}

/** The event of a sender: the delivery status of a message. */
export const messageStatusEvent = 'message_status'

/** The event of an account: a live run of an automation failed. */
export const runFailedEvent = 'automation_run_failed'

/** Records that a run failed, and has the account's webhook for that notified where there is one. */
export async function publishRunFailed(query: Query, details: Omit<NewEvent, 'told'>): Promise<void> {
  const hasSubscriber = (await findRunWebhook(query, details.account)) !== undefined
  const id = await appendEvent(query, { ...details, ...(hasSubscriber && { notification: { event: runFailedEvent } }) })
  if (hasSubscriber)
    await scheduleJob(query, { account: details.account, kind: eventJobKind, subject: String(id), at: details.now })
}

/** Records what happened to a sender's message, and has its own webhook told where it has one. */
export async function publishMessageStatus(
  query: Query,
  { sender, ...details }: Omit<NewEvent, 'told'> & { readonly sender: number },
): Promise<void> {
  const webhook = await findSenderWebhook(query, sender)
  const hasSubscriber = webhook !== undefined && webhook.webhook_url !== null
  const id = await appendEvent(query, {
    ...details,
    ...(hasSubscriber && { notification: { event: messageStatusEvent, sender } }),
  })
  if (hasSubscriber)
    await scheduleJob(query, { account: details.account, kind: eventJobKind, subject: String(id), at: details.now })
}
