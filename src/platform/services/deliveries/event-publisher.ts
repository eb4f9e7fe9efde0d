import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { findSlot } from '../../store/assistants/event-slots.ts'
import { findRunWebhook } from '../../store/automations/runs.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent, type NewEvent } from '../../store/deliveries/outbox.ts'
import { findSenderWebhook } from '../../store/messaging/senders.ts'

/** Kind of the job that dispatches an event. The subject is the event's id. Its rows have this name, so it never changes. */
export const eventJobKind = 'event'

/** An event of an assistant to publish. */
type AssistantEventRecord = Omit<NewEvent, 'notification'> & {
  readonly assistant: number
  readonly event: SlotEvent
  readonly isDeferred?: boolean
}

/**
 * Publishes an event of an assistant and schedules its dispatch to the holder of the event, in the caller's
 * transaction. With `isDeferred`, the dispatch is not scheduled. Returns the event's id.
 */
export async function publishEvent(
  query: AccountQuery,
  { assistant, event, isDeferred = false, ...details }: AssistantEventRecord,
): Promise<number> {
  const slot = await findSlot(query, assistant, event)
  const id = await appendEvent(query, { ...details, ...(slot && { notification: { event, assistant } }) })
  if (slot && !isDeferred)
    await scheduleJob(query, { account: details.account, kind: eventJobKind, subject: String(id), at: details.now })
  return id
}

/** The event of a sender: the delivery status of a message. Rows of deliveries have it, and receivers get it. */
export const messageStatusEvent = 'message_status'

/** The event of an account: a live run of an automation failed. */
export const runFailedEvent = 'automation_run_failed'

/** Publishes the failure of a run and schedules the notification of the account's webhook, if it has one. */
export async function publishRunFailed(query: AccountQuery, details: Omit<NewEvent, 'notification'>): Promise<void> {
  const hasSubscriber = (await findRunWebhook(accountQuery(query, details.account))) !== undefined
  const id = await appendEvent(query, { ...details, ...(hasSubscriber && { notification: { event: runFailedEvent } }) })
  if (hasSubscriber)
    await scheduleJob(query, { account: details.account, kind: eventJobKind, subject: String(id), at: details.now })
}

/**
 * Publishes the delivery status of a sender's message and schedules the notification of the sender's webhook, if it has
 * one.
 */
export async function publishMessageStatus(
  query: AccountQuery,
  { sender, ...details }: Omit<NewEvent, 'notification'> & { readonly sender: number },
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
