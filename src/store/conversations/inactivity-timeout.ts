import type { Query } from '../database/connection.ts'
import { deleteJob, insertJob } from '../runtime/scheduled-jobs.ts'

/** Kind of the due work that ends a conversation in which nobody speaks any more. Its subject is the conversation's id. */
export const inactivityJobKind = 'conversation.silence'

/** Microseconds of a minute. */
const microsPerMinute = 60_000_000
/** Minutes of silence that end a conversation of an assistant that was told nothing else. */
const defaultTimeoutMinutes = 30

/** How long an assistant waits in silence, in microseconds; null when it does for ever. */
export function inactivityTimeoutMicros(settings: string): number | null {
  const { conversation_inactivity_timeout: minutes = defaultTimeoutMinutes } = JSON.parse(settings) as {
    conversation_inactivity_timeout?: number | null
  }
  return minutes === null ? null : minutes * microsPerMinute
}

/** Only what a customer sees ends by itself: tests and conversations of programs are ended by whoever holds them. */
export const hasInactivityTimeout = (type: string): boolean => type === 'widget' || type === 'messaging'

/** Counts the silence of a conversation anew, in the transaction of what was said. */
export async function scheduleInactivityEnd(
  query: Query,
  conversation: { id: number; account_id: number; assistant_id: number; type: string },
  now: number,
): Promise<void> {
  if (!hasInactivityTimeout(conversation.type)) return
  const assistant = await query
    .selectFrom('assistant')
    .select('settings')
    .where('id', '=', conversation.assistant_id)
    .executeTakeFirst()
  const timeoutMicros = assistant ? inactivityTimeoutMicros(assistant.settings) : null
  const subject = String(conversation.id)
  if (timeoutMicros === null) return deleteJob(query, inactivityJobKind, subject)
  const { numUpdatedRows } = await query
    .updateTable('due')
    .set({ due_at: now + timeoutMicros, lease_owner: null, lease_until: 0 })
    .where('kind', '=', inactivityJobKind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const due = { account_id: conversation.account_id, kind: inactivityJobKind, subject, due_at: now + timeoutMicros }
  await insertJob(query, { ...due, attempts: 0, lease_owner: null, lease_until: 0 })
}
