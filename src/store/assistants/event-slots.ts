import type { Selectable } from 'kysely'
import type { bindingTypes } from '../../contract/automations/automation-records.ts'
import type { Query } from '../database/connection.ts'
import type { EventSlotTable } from './tables.ts'

/** Events of an assistant that one automation or webhook is told of (section 6.3). */
export type SlotEvent = (typeof bindingTypes)[number]
export type SlotHolder = 'webhook' | 'automation'
export type SlotRow = Selectable<EventSlotTable>

export interface EventSlot {
  readonly account: number
  readonly assistant: number
  readonly event: SlotEvent
  readonly holder: SlotHolder
  /** Address of the webhook, id of the automation. */
  readonly target: string
  readonly now: number
}

/**
 * Takes a slot that is free, or that is held already by the same automation or by any webhook when it is for a webhook: its address is replaced then.
 * False when somebody else holds it; nothing is changed.
 */
export async function claimSlot(
  query: Query,
  { account, assistant, event, holder, target, now }: EventSlot,
): Promise<boolean> {
  const claimed = await query
    .insertInto('event_slot')
    .values({ account_id: account, assistant_id: assistant, event, holder, target, created_at: now })
    .onConflict((it) => {
      const update = it
        .columns(['assistant_id', 'event'])
        .doUpdateSet({ target })
        .where('event_slot.holder', '=', holder)
      return holder === 'webhook' ? update : update.where('event_slot.target', '=', target)
    })
    .returning('event')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Frees the slot of an event where a webhook holds it, whichever; an automation's stays. */
export async function releaseWebhookSlot(query: Query, assistant: number, event: SlotEvent): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('assistant_id', '=', assistant)
    .where('event', '=', event)
    .where('holder', '=', 'webhook')
    .execute()
}

/** Frees every slot an automation holds; webhooks' stay. */
export async function releaseAutomationSlots(query: Query, account: number, automation: string): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('account_id', '=', account)
    .where('holder', '=', 'automation')
    .where('target', '=', automation)
    .execute()
}

export const listSlots = (query: Query, assistants: readonly number[]): Promise<SlotRow[]> =>
  query.selectFrom('event_slot').selectAll().where('assistant_id', 'in', assistants).execute()

/** Who is told of an event of an assistant; undefined when nobody is. */
export const findSlot = (query: Query, assistant: number, event: SlotEvent): Promise<SlotRow | undefined> =>
  query
    .selectFrom('event_slot')
    .selectAll()
    .where('assistant_id', '=', assistant)
    .where('event', '=', event)
    .executeTakeFirst()
