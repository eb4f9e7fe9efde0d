import { parseJson } from '../../../node/json.ts'
import type { Query } from '../database/connection.ts'
import { deleteJob, insertJob } from '../runtime/scheduled-jobs.ts'

/** Kind of the scheduled job that ends an inactive conversation. Its subject is the id of the conversation. */
export const inactivityJobKind = 'conversation.silence'

const microsPerMinute = 60_000_000
/** Default inactivity timeout of an assistant, in minutes. */
const defaultTimeoutMinutes = 30

/** Returns the inactivity timeout of an assistant in microseconds; null if it has none. */
export function inactivityTimeoutMicros(settings: string): number | null {
  const { conversation_inactivity_timeout: minutes = defaultTimeoutMinutes } = parseJson(settings) as {
    conversation_inactivity_timeout?: number | null
  }
  return minutes === null ? null : minutes * microsPerMinute
}

/** Returns whether conversations of a type end after inactivity. Test and API conversations are ended by callers. */
export const hasInactivityTimeout = (type: string): boolean => type === 'widget' || type === 'messaging'

/** Restarts the inactivity timeout of a conversation, in the transaction that adds a message. */
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
