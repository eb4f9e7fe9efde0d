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

/** Frees the slots an automation holds, except that of one event of one assistant. */
export async function releaseOtherSlots(
  query: Query,
  {
    account,
    automation,
    event,
    assistant,
  }: { account: number; automation: string; event: SlotEvent; assistant: number },
): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('account_id', '=', account)
    .where('holder', '=', 'automation')
    .where('target', '=', automation)
    .where((it) => it.or([it('assistant_id', '<>', assistant), it('event', '<>', event)]))
    .execute()
}

/** The slots that automations of an account hold, or one of them, with the name of the assistant. */
export const listAutomationSlots = (
  query: Query,
  account: number,
  automation?: string,
): Promise<{ readonly target: string; readonly event: string; readonly id: number; readonly name: string }[]> =>
  query
    .selectFrom('event_slot')
    .innerJoin('assistant', 'assistant.id', 'event_slot.assistant_id')
    .select(['event_slot.target', 'event_slot.event', 'assistant.id', 'assistant.name'])
    .where('event_slot.account_id', '=', account)
    .where('event_slot.holder', '=', 'automation')
    .$if(automation !== undefined, (it) => it.where('event_slot.target', '=', automation ?? ''))
    .execute()
