import { Failure } from '../../contract/errors/failures.ts'
import { claimSlot, releaseWebhookSlot, type SlotEvent } from '../../store/assistants/event-slots.ts'
import type { Query } from '../../store/database/connection.ts'

/**
 * Sets the webhook URL of an event, or switches the webhook off with null, in the caller's transaction. An automation
 * that holds the event is never detached.
 * @throws Failure `assistants.binding_conflict` when an automation holds the event (section 6.3)
 */
export async function setEventWebhook(
  query: Query,
  {
    account,
    assistant,
    event,
    url,
    now,
  }: { account: number; assistant: number; event: SlotEvent; url: string | null; now: number },
): Promise<void> {
  if (url === null) return releaseWebhookSlot(query, assistant, event)
  if (!(await claimSlot(query, { account, assistant, event, holder: 'webhook', target: url, now })))
    throw new Failure('assistants.binding_conflict')
}
