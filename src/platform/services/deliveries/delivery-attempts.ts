import { isSlotEvent } from '../../../contract/automations/automation-records.ts'
import type { Delivery } from '../../../contract/control/deliveries.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { maxDeliveryAttempts, parseRetryAfter, retryDelay } from '../../jobs/webhook-retries.ts'
import { findSlot, releaseWebhookSlot } from '../../store/assistants/event-slots.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import {
  type DeliveryRow,
  deliveryJobKind,
  findDeliveries,
  findDelivery,
  insertAttempt,
  insertDelivery,
  maxDeliveryId,
  scheduleLane,
  updateDelivery,
} from '../../store/deliveries/deliveries.ts'
import { removeSenderWebhook } from '../../store/messaging/senders.ts'
import type { Deps } from '../runtime/deps.ts'
import { messageStatusEvent } from './event-publisher.ts'
import { createMessageId } from './notify-webhook.ts'

/** The result of an attempt: a status, or an error when there is none. */
export interface DeliveryAttemptResult {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly answer: string | null
  readonly ms: number
}

const isAccepted = ({ status }: DeliveryAttemptResult): boolean => status !== null && status >= 200 && status < 300

/**
 * Returns whether a failure is permanent: the receiver is gone, or (for message statuses, facts 3.3) it rejects the
 * request.
 */
const isPermanentFailure = (event: string, { status }: DeliveryAttemptResult): boolean =>
  status === 410 || (event === messageStatusEvent && status !== null && status >= 400 && status < 500 && status !== 429)

/** Records the results of attempts and schedules the next ones. */
export function deliveryAttempts(deps: Deps) {
  const { connection, clock, wall } = deps

  async function finish(
    query: AccountQuery,
    row: DeliveryRow,
    change: { status: 'delivered' | 'failed'; last_error: string | null },
    now: Micros,
  ): Promise<void> {
    await updateDelivery(query, row.id, { ...change, next_attempt_at: null, finished_at: now })
    await unscheduleJob(query, deliveryJobKind, String(row.id))
    await scheduleLane(query, row.lane, now)
  }

  /** Removes the webhook of a receiver that responded with 410 Gone. */
  async function disableWebhook(
    query: AccountQuery,
    { event, assistant_id, sender_id, url }: DeliveryRow,
  ): Promise<void> {
    if (event === messageStatusEvent) return removeSenderWebhook(query, sender_id ?? 0, url)
    if (!isSlotEvent(event)) return
    const slot = await findSlot(query, assistant_id ?? 0, event)
    if (slot?.holder === 'webhook' && slot.target === url) await releaseWebhookSlot(query, assistant_id ?? 0, event)
  }

  const replayOwn = (account: number, ids: readonly number[]): Promise<number> =>
    connection.write({ account }, async (query) => {
      const now = await clock.now(query)
      let replayed = 0
      for (const id of ids) {
        const row = await findDelivery(query, id)
        // Requests during a call have no receiver that still waits for the answer.
        if (!row || row.outbox_id === null) continue
        await unscheduleJob(query, deliveryJobKind, String(id))
        await updateDelivery(query, id, {
          status: 'pending',
          tries_left: maxDeliveryAttempts,
          next_attempt_at: now,
          finished_at: null,
        })
        await scheduleLane(query, row.lane, now)
        replayed++
      }
      return replayed
    })

  return {
    record: (given: DeliveryRow, attempt: DeliveryAttemptResult): Promise<void> =>
      connection.write({ account: given.account_id }, async (query) => {
        const now = await clock.now(query)
        const row = await findDelivery(query, given.id)
        // Another process took the delivery over and ended it.
        if (row?.status !== 'pending') return
        const number = row.attempts + 1
        const { status, error, answer, ms } = attempt
        await insertAttempt(query, {
          account_id: row.account_id,
          delivery_id: row.id,
          number,
          at: now,
          status,
          error,
          answer,
          ms,
        })
        const triesLeft = Math.max(0, row.tries_left - 1)
        await updateDelivery(query, row.id, {
          url: given.url,
          attempts: number,
          tries_left: triesLeft,
          last_status: status,
        })
        if (isAccepted(attempt)) return finish(query, row, { status: 'delivered', last_error: null }, now)
        const reason = error ?? `The receiver returned status ${status}.`
        if (status === 410) await disableWebhook(query, given)
        if (triesLeft === 0 || isPermanentFailure(row.event, attempt))
          return finish(query, row, { status: 'failed', last_error: reason }, now)
        const at = now + retryDelay(triesLeft, parseRetryAfter(attempt.retryAfter, wall()))
        await updateDelivery(query, row.id, { next_attempt_at: at, last_error: reason })
        await unscheduleJob(query, deliveryJobKind, String(row.id))
        await scheduleJob(query, { account: row.account_id, kind: deliveryJobKind, subject: String(row.id), at })
      }),

    /** Ends a delivery whose webhook was switched off. */
    cancel: ({ id, account_id: account }: DeliveryRow): Promise<void> =>
      connection.write({ account }, async (query) => {
        const row = await findDelivery(query, id)
        // Another process took the delivery over and ended it.
        if (row?.status !== 'pending') return
        await finish(query, row, { status: 'failed', last_error: 'The webhook was disabled.' }, await clock.now(query))
      }),

    /**
     * Sends deliveries again with the full number of attempts, under the same message ids. Returns how many were
     * queued. The deliveries of each account are one transaction.
     */
    async replay(ids: readonly number[]): Promise<number> {
      const rows = await findDeliveries(connection.read, ids)
      let replayed = 0
      for (const account of new Set(rows.map((it) => it.account_id)))
        replayed += await replayOwn(
          account,
          rows.filter((it) => it.account_id === account).map((it) => it.id),
        )
      return replayed
    },

    /** Stores a request that is sent once, in the form of a delivery. */
    createRequest: ({
      account,
      assistant,
      event,
      url,
      payload,
    }: {
      account: number
      assistant: number | null
      event: Delivery['event']
      url: string
      payload: object
    }): Promise<DeliveryRow> =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        // The account is part of the label: two accounts may ask at the same time, after the same delivery.
        const id = createMessageId(deps, `question ${account} ${await maxDeliveryId(query)} ${now}`)
        const times = { created_at: now, finished_at: null }
        const row = {
          account_id: account,
          outbox_id: null,
          message_id: id,
          event,
          lane: id,
          assistant_id: assistant,
          sender_id: null,
          url,
          ...times,
        }
        const inserted = await insertDelivery(query, {
          ...row,
          payload: stringifyJson(payload),
          status: 'pending',
          attempts: 0,
          tries_left: 1,
          next_attempt_at: null,
          last_status: null,
          last_error: null,
        })
        return requireValue(inserted)
      }),
  }
}
