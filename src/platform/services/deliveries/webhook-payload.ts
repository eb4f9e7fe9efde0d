import { parseJson } from '../../../node/json.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import type { Query } from '../../store/database/connection.ts'
import type { OutboxRow } from '../../store/deliveries/outbox.ts'

/** Statuses of calls that were answered and did not fail. */
export const answeredCallStatuses: ReadonlySet<unknown> = new Set([
  'completed',
  'ended',
  'ended_by_customer',
  'ended_by_assistant',
])

/**
 * Returns the payload a webhook receives, according to the assistant's settings; undefined when they exclude the event.
 */
export async function webhookPayload(query: Query, event: OutboxRow): Promise<Record<string, unknown> | undefined> {
  const payload: Record<string, unknown> = parseJson(event.payload)
  if (event.event !== 'post_call') return payload
  const assistant = await findAssistant(query, event.account_id, event.assistant_id ?? 0)
  const settings = parseJson(assistant?.settings ?? '{}')
  if ((settings.send_webhook_only_on_completed ?? true) && !answeredCallStatuses.has(payload.status)) return undefined
  if (settings.include_recording_in_webhook ?? true) return payload
  return withoutRecording(payload)
}

function withoutRecording({ recording_url: _, transfers, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(transfers)) return rest
  return { ...rest, transfers: transfers.map(({ recording_url: _, ...transfer }: Record<string, unknown>) => transfer) }
}
