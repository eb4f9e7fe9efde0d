// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Selectable } from 'kysely'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { EventSlotTable } from './tables.ts'

/** What receives the event of a slot. Rows have these words. */
type SlotHolder = 'webhook' | 'automation'
export type SlotRow = Selectable<EventSlotTable>

/** A slot to claim: each event of an assistant has one, with at most one holder. */
interface EventSlot {
  readonly assistant: number
  readonly event: SlotEvent
  readonly holder: SlotHolder
  /** URL of the webhook, or id of the automation. */
  readonly target: string
  readonly now: number
}

/**
 * Claims a slot that is free or held by the same automation. A webhook also replaces another webhook, including its
 * URL. Returns false without any change if another holder has the slot.
 */
export async function claimSlot(
  query: AccountQuery,
  { assistant, event, holder, target, now }: EventSlot,
): Promise<boolean> {
  const claimed = await query
    .insertInto('event_slot')
    .values({ account_id: query.account, assistant_id: assistant, event, holder, target, created_at: now })
    .onConflict((conflict) => {
      const update = conflict
        .columns(['account_id', 'assistant_id', 'event'])
        .doUpdateSet({ target })
        .where('event_slot.holder', '=', holder)
      return holder === 'webhook' ? update : update.where('event_slot.target', '=', target)
    })
    .returning('event')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Releases the slot of an event if any webhook holds it. A slot held by an automation is not changed. */
export async function releaseWebhookSlot(query: AccountQuery, assistant: number, event: SlotEvent): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('assistant_id', '=', assistant)
    .where('event', '=', event)
    .where('holder', '=', 'webhook')
    .execute()
}

/** Releases every slot that an automation holds. Slots of webhooks are not changed. */
export async function releaseAutomationSlots(query: AccountQuery, automation: string): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('account_id', '=', query.account)
    .where('holder', '=', 'automation')
    .where('target', '=', automation)
    .execute()
}

/** Returns the event slots of assistants. */
export const listSlots = (query: AccountQuery, assistants: readonly number[]): Promise<SlotRow[]> =>
  query.selectFrom('event_slot').selectAll().where('assistant_id', 'in', assistants).execute()

/** Returns the holder of an event slot of an assistant; undefined if the slot is free. */
export const findSlot = (query: AccountQuery, assistant: number, event: SlotEvent): Promise<SlotRow | undefined> =>
  query
    .selectFrom('event_slot')
    .selectAll()
    .where('assistant_id', '=', assistant)
    .where('event', '=', event)
    .executeTakeFirst()

/** Releases the slots that an automation holds, except that of one event of one assistant. */
export async function releaseOtherSlots(
  query: AccountQuery,
  { automation, event, assistant }: { automation: string; event: SlotEvent; assistant: number },
): Promise<void> {
  await query
    .deleteFrom('event_slot')
    .where('account_id', '=', query.account)
    .where('holder', '=', 'automation')
    .where('target', '=', automation)
    .where((it) => it.or([it('assistant_id', '<>', assistant), it('event', '<>', event)]))
    .execute()
}

/** Returns the slots held by the automations of an account, or by some of them, with the name of the assistant. */
export const listAutomationSlots = (
  query: AccountQuery,
  automations?: readonly string[],
): Promise<{ readonly target: string; readonly event: SlotEvent; readonly id: number; readonly name: string }[]> =>
  query
    .selectFrom('event_slot')
    .innerJoin('assistant', 'assistant.id', 'event_slot.assistant_id')
    .select(['event_slot.target', 'event_slot.event', 'assistant.id', 'assistant.name'])
    .where('event_slot.account_id', '=', query.account)
    .where('event_slot.holder', '=', 'automation')
    .$if(automations !== undefined, (it) => it.where('event_slot.target', 'in', automations ?? []))
    .execute()
