import { ClientFailure } from '../../../client/failure.ts'
import type { Journal, JournalEntry } from '../../../client/journal.ts'
import { messaging } from '../../../contract/messaging.ts'
import { user } from '../../../contract/user.ts'
import type { Context } from '../../context.ts'
import { isSettling } from './view.ts'

const endpoints = [messaging.send, messaging.sendFreeform]

export const isSend = (it: JournalEntry): boolean => endpoints.some(({ name }) => name === it.endpoint)

/**
 * Settles messages: a platform of ours is asked what it answered to their keys, which sends nothing that it had not begun.
 * Any other one would send them again, so that there only evidence is gathered.
 */
export async function reconcileSends(context: Context, journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  const { assumed } = await context.call.raw(user.me, {})
  for (const entry of entries) await (assumed === undefined ? gather(context, journal, entry) : recall(context, journal, entry))
}

async function recall(context: Context, journal: Journal, entry: JournalEntry): Promise<void> {
  const endpoint = entry.endpoint === messaging.send.name ? messaging.send : messaging.sendFreeform
  try {
    const sent = await context.call(endpoint, entry.input as never, { idempotencyKey: entry.idempotencyKey, recall: true })
    const { conversation_id, message_id, message_sid } = sent
    journal.settle(entry.id, 'done', { reconciled: 'The message was sent.', conversation_id, message_id, message_sid })
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status === undefined || error.exit === 'auth' || error.exit === 'rate_limited') throw error
    if (error.code === 'idempotency_unknown') {
      if (!isSettling(context, entry)) journal.settle(entry.id, 'refused', { reconciled: 'The platform never received the message.' })
    } else if (error.exit !== 'unknown' && !error.code.startsWith('idempotency_'))
      journal.settle(entry.id, 'refused', { reconciled: 'The platform refused the message.', code: error.code, message: error.message })
  }
}

/** What can be seen from outside: the conversation with the recipient and its window. */
async function gather(context: Context, journal: Journal, entry: JournalEntry): Promise<void> {
  const { sender_id, recipient_phone } = entry.input as { sender_id: number; recipient_phone: string }
  const seen = await context.call(messaging.session, { sender_id, recipient_phone }).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.status !== undefined) return undefined
    throw error
  })
  const conversation = seen?.conversation_id == null ? 'no conversation' : `conversation ${seen.conversation_id}`
  const window = seen?.session_status.is_open ? `a window that closes ${seen.session_status.expires_at ?? 'later'}` : 'no open window'
  journal.settle(entry.id, 'unknown', {
    evidence: { has_conversation: seen?.has_conversation ?? null, ...seen?.session_status, conversation_id: seen?.conversation_id ?? null },
  })
  await context.notes.note(
    `${recipient_phone}: there is ${conversation} and ${window}. This platform does not tell what became of a single message; look into the conversation before sending it again.`,
  )
}
