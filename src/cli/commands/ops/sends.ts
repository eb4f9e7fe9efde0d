import { ClientFailure } from '../../../client/failure.ts'
import type { Journal, JournalEntry } from '../../../client/journal.ts'
import type { Output } from '../../../contract/endpoint.ts'
import { messaging } from '../../../contract/messaging.ts'
import type { Context } from '../../context.ts'
import { recall, recalls } from './recall.ts'

const endpoints = [messaging.send, messaging.sendFreeform]

export const isSend = (it: JournalEntry): boolean => endpoints.some(({ name }) => name === it.endpoint)

/**
 * Settles messages: a platform of ours is asked what it answered to their keys, which sends nothing that it had not begun.
 * Any other one would send them again, so that there only evidence is gathered.
 */
export async function reconcileSends(context: Context, journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  const isOurs = await recalls(context)
  for (const entry of entries) {
    if (!isOurs) await gather(context, journal, entry)
    else await recall(context, journal, entry, entry.endpoint === messaging.send.name ? messaging.send : messaging.sendFreeform, 'message', toldOf)
  }
}

const toldOf = ({ conversation_id, message_id, message_sid }: Output<typeof messaging.send>): object => ({ conversation_id, message_id, message_sid })

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
