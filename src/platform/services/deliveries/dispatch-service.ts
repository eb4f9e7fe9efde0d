import { isSlotEvent } from '../../../contract/automations/automation-records.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { parseJson } from '../../../node/json.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import { findSlot } from '../../store/assistants/event-slots.ts'
import { findRunWebhook } from '../../store/automations/runs.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findEvent, markEventHandled, type OutboxRow } from '../../store/deliveries/outbox.ts'
import { findSenderWebhook } from '../../store/messaging/senders.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { assistantEventService } from '../automations/triggers/assistant-event-service.ts'
import type { Deps } from '../runtime/deps.ts'
import { eventJobKind, messageStatusEvent, runFailedEvent } from './event-publisher.ts'
import { addDelivery, createMessageId, webhookPayload } from './notify-webhook.ts'

/** Dispatches events to their holders: an automation starts a run, a webhook gets a delivery. */
export function dispatchService(deps: Deps) {
  const { connection, clock } = deps

  async function markDone(query: AccountQuery, id: number, now: Micros): Promise<void> {
    await markEventHandled(query, id, now)
    await unscheduleJob(query, eventJobKind, String(id))
  }

  /** Returns the URL that receives the event now; undefined when the webhook was switched off since. */
  async function findTargetUrl(query: AccountQuery, event: OutboxRow): Promise<string | undefined> {
    if (event.event === runFailedEvent) return findRunWebhook(accountQuery(query, event.account_id))
    if (event.event === messageStatusEvent)
      return (await findSenderWebhook(query, event.sender_id ?? 0))?.webhook_url ?? undefined
    const slot = isSlotEvent(event.event) ? await findSlot(query, event.assistant_id ?? 0, event.event) : undefined
    return slot?.holder === 'webhook' ? slot.target : undefined
  }

  const createDelivery = (event: OutboxRow): Promise<void> =>
    connection.write({ account: event.account_id }, async (query) => {
      const now = await clock.now(query)
      const url = await findTargetUrl(query, event)
      const payload = url === undefined ? undefined : await webhookPayload(query, event)
      // The label of `notifyWebhook` too. It never changes, because receivers know the message by it.
      const message = createMessageId(deps, `event ${event.id} ${event.created_at}`)
      if (url !== undefined && payload !== undefined) await addDelivery(query, { ...event, url, payload, message, now })
      await markDone(query, event.id, now)
    })

  return {
    /** Scheduled job: dispatches one event. Repeating it has no further effect. */
    async dispatch({ account_id: account, subject }: JobRow): Promise<void> {
      const id = Number(subject)
      const read = accountQuery(connection.read, account)
      const event = await findEvent(read, id)
      if (!event || event.handled_at !== null)
        return connection.write({ rows: account }, (query) => unscheduleJob(query, eventJobKind, subject))
      const { assistant_id: assistant, event: kind } = event
      if (assistant === null || !isSlotEvent(kind)) return createDelivery(event)
      if ((await findSlot(read, assistant, kind))?.holder !== 'automation') return createDelivery(event)
      const assistantEvent = {
        account,
        assistant,
        kind,
        payload: parseJson(event.payload),
        // A run has it as its deduplication key, so that it starts once after a crash: it never changes.
        key: `${id} ${event.created_at}`,
      }
      await assistantEventService(deps).raise(assistantEvent)
      await connection.write({ rows: account }, async (query) => markDone(query, id, await clock.now(query)))
    },
  }
}
