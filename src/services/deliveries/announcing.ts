import { schedule } from '../../events/due.ts'
import type { Query } from '../../store/connection.ts'
import { appendEvent, type Happened } from '../../store/outbox.ts'
import { findRunWebhook } from '../../store/run-webhooks.ts'
import { findSlot, type SlotEvent } from '../../store/slots.ts'

/** Kind of the due work that takes an event to whoever is told of it. Its subject is the event's id. */
export const eventWork = 'event'

export type Announced = Omit<Happened, 'told'> & { readonly assistant: number; readonly event: SlotEvent; readonly isHeld?: boolean }

/** Records what happened to an assistant, and has whoever holds the event's slot told of it, all in the caller's transaction; later, where the event is held. Answers its id. */
export async function announce(query: Query, { assistant, event, isHeld = false, ...happened }: Announced): Promise<number> {
  const slot = await findSlot(query, assistant, event)
  const id = await appendEvent(query, { ...happened, ...(slot && { told: { event, assistant } }) })
  if (slot && !isHeld) await schedule(query, { account: happened.account, kind: eventWork, subject: String(id), at: happened.now })
  return id
}

/** The event of a sender: the delivery status of a message. */
export const messageStatus = 'message_status'

/** The event of an account: a live run of an automation failed. */
export const runFailed = 'automation_run_failed'

/** Records that a run failed, and has the account's webhook for that notified where there is one. */
export async function announceRun(query: Query, happened: Omit<Happened, 'told'>): Promise<void> {
  const isTold = (await findRunWebhook(query, happened.account)) !== undefined
  const id = await appendEvent(query, { ...happened, ...(isTold && { told: { event: runFailed } }) })
  if (isTold) await schedule(query, { account: happened.account, kind: eventWork, subject: String(id), at: happened.now })
}

/** Records what happened to a sender's message, and has its own webhook told where it has one. */
export async function announceStatus(query: Query, { sender, ...happened }: Omit<Happened, 'told'> & { readonly sender: number }): Promise<void> {
  const row = await query.selectFrom('sender').select('webhook_url').where('id', '=', sender).executeTakeFirst()
  const isTold = row !== undefined && row.webhook_url !== null
  const id = await appendEvent(query, { ...happened, ...(isTold && { told: { event: messageStatus, sender } }) })
  if (isTold) await schedule(query, { account: happened.account, kind: eventWork, subject: String(id), at: happened.now })
}
