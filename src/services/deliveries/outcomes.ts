import type { Micros } from '../../events/clock.ts'
import { schedule, unschedule } from '../../events/due.ts'
import { askedFor, attemptsInAll, waitBefore } from '../../events/webhooks/retries.ts'
import type { Query } from '../../store/connection.ts'
import { changeDelivery, type DeliveryRow, deliveryWork, findDelivery, insertAttempt, insertDelivery, scheduleLane } from '../../store/deliveries.ts'
import { freeWebhookSlot, type SlotEvent } from '../../store/slots.ts'
import type { Deps } from '../deps.ts'
import { messageStatus } from './announcing.ts'
import { messageIdOf } from './dispatching.ts'

/** What came of an attempt: a status, or why there is none. */
export interface Attempt {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly answer: string | null
  readonly ms: number
}

const isTaken = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300

/** Whether a refusal is for good: the receiver is gone, or (for the status of messages, facts 3.3) objects to what it is sent. */
const isFinal = (event: string, { status }: Attempt): boolean =>
  status === 410 || (event === messageStatus && status !== null && status >= 400 && status < 500 && status !== 429)

/** Keeps what came of attempts and decides what is next. */
export function outcomes(deps: Deps) {
  const { connection, clock, wall } = deps

  async function finish(query: Query, row: DeliveryRow, change: { status: 'delivered' | 'failed'; last_error: string | null }, now: Micros): Promise<void> {
    await changeDelivery(query, row.id, { ...change, next_attempt_at: null, finished_at: now })
    await unschedule(query, deliveryWork, String(row.id))
    await scheduleLane(query, row.lane, now)
  }

  /** A receiver that is gone for good is not told again. */
  async function switchOff(query: Query, { event, assistant_id, sender_id, url }: DeliveryRow): Promise<void> {
    if (event === messageStatus) {
      await query
        .updateTable('sender')
        .set({ webhook_url: null })
        .where('id', '=', sender_id ?? 0)
        .where('webhook_url', '=', url)
        .execute()
      return
    }
    const held = await query
      .selectFrom('event_slot')
      .select('target')
      .where('assistant_id', '=', assistant_id ?? 0)
      .where('event', '=', event)
      .where('holder', '=', 'webhook')
      .executeTakeFirst()
    if (held?.target === url) await freeWebhookSlot(query, assistant_id ?? 0, event as SlotEvent)
  }

  return {
    keep: (given: DeliveryRow, attempt: Attempt): Promise<void> =>
      connection.write(async (query) => {
        const now = await clock.now(query)
        const row = await findDelivery(query, given.id)
        // Another process took it over meanwhile, and ended it.
        if (row?.status !== 'pending') return
        const number = row.attempts + 1
        const { status, error, answer, ms } = attempt
        await insertAttempt(query, { account_id: row.account_id, delivery_id: row.id, number, at: now, status, error, answer, ms })
        const left = Math.max(0, row.tries_left - 1)
        await changeDelivery(query, row.id, { url: given.url, attempts: number, tries_left: left, last_status: status })
        if (isTaken(attempt)) return finish(query, row, { status: 'delivered', last_error: null }, now)
        const why = error ?? `The receiver answered ${status}.`
        if (status === 410) await switchOff(query, given)
        if (left === 0 || isFinal(row.event, attempt)) return finish(query, row, { status: 'failed', last_error: why }, now)
        const at = now + waitBefore(left, askedFor(attempt.retryAfter, wall()))
        await changeDelivery(query, row.id, { next_attempt_at: at, last_error: why })
        await unschedule(query, deliveryWork, String(row.id))
        await schedule(query, { account: row.account_id, kind: deliveryWork, subject: String(row.id), at })
      }),

    /** Ends a delivery that nobody wants any more. */
    withdrawn: (row: DeliveryRow): Promise<void> =>
      connection.write(async (query) => finish(query, row, { status: 'failed', last_error: 'The webhook was switched off.' }, await clock.now(query))),

    /** Has deliveries sent again, as if nothing had been tried: under the ids their receivers know. */
    replay: (ids: readonly number[]): Promise<number> =>
      connection.write(async (query) => {
        const now = await clock.now(query)
        let n = 0
        for (const id of ids) {
          const row = await findDelivery(query, id)
          // Nobody waits any more for what a question was about.
          if (!row || row.outbox_id === null) continue
          await unschedule(query, deliveryWork, String(id))
          await changeDelivery(query, id, { status: 'pending', tries_left: attemptsInAll, next_attempt_at: now, finished_at: null })
          await scheduleLane(query, row.lane, now)
          n++
        }
        return n
      }),

    /** A question that is asked once, kept like a delivery. */
    asked: ({
      account,
      assistant,
      event,
      url,
      payload,
    }: {
      account: number
      assistant: number
      event: string
      url: string
      payload: object
    }): Promise<DeliveryRow> =>
      connection.write(async (query) => {
        const now = await clock.now(query)
        const last = await query.selectFrom('delivery').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
        const id = messageIdOf(deps, `question ${last?.id ?? 0} ${now}`)
        const times = { created_at: now, finished_at: null }
        const row = { account_id: account, outbox_id: null, message_id: id, event, lane: id, assistant_id: assistant, sender_id: null, url, ...times }
        return (await insertDelivery(query, {
          ...row,
          payload: JSON.stringify(payload),
          status: 'pending',
          attempts: 0,
          tries_left: 1,
          next_attempt_at: null,
          last_status: null,
          last_error: null,
        })) as DeliveryRow
      }),
  }
}
