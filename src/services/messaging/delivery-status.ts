import { type Micros, toIsoMillis } from '../../jobs/clock.ts'
import { findConversationUuids } from '../../store/conversations/conversations.ts'
import type { Query } from '../../store/database/connection.ts'
import { type ChannelMessageRow, setDeliveryStatus } from '../../store/messaging/channel-messages.ts'
import { describeSender } from '../../store/messaging/senders.ts'
import { publishMessageStatus } from '../deliveries/event-publisher.ts'

export const deliveryStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'undelivered'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** How far a message has come; nothing comes after the last, and a message that arrived does not fail. */
const statusRank: Readonly<Record<string, number>> = { queued: 0, sent: 1, delivered: 2, read: 3 }
const isFinalStatus = (status: string): boolean => status === 'failed' || status === 'undelivered' || status === 'read'

/** Whether a message may come from one status to another: forward only. */
export function canAdvance(from: string, to: string): boolean {
  if (isFinalStatus(from)) return false
  if (to === 'failed' || to === 'undelivered') return (statusRank[from] ?? 0) < 2
  return (statusRank[to] ?? 0) > (statusRank[from] ?? 0)
}

export interface DeliveryError {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly description?: string | undefined
}

/**
 * Brings the delivery status of a message that was sent forward, and tells its sender's webhook (facts 3.3), in the caller's transaction. False, and nothing
 * told, when it is there already or further.
 */
export async function advanceStatus(
  query: Query,
  row: ChannelMessageRow,
  to: DeliveryStatus,
  now: Micros,
  error: DeliveryError = {},
): Promise<boolean> {
  if (row.delivery_status !== null && !canAdvance(row.delivery_status, to)) return false
  await setDeliveryStatus(query, row.id, to, now)
  await publishDeliveryStatus(query, row, to, now, error)
  return true
}

/** Tells the sender's webhook of the status of a message, in the caller's transaction. */
export async function publishDeliveryStatus(
  query: Query,
  row: ChannelMessageRow,
  status: string,
  now: Micros,
  error: DeliveryError = {},
): Promise<void> {
  const sender = await describeSender(query, row.sender_id)
  const conversation = await findConversationUuids(query, row.conversation_id ?? 0)
  const payload = {
    event: 'message_status',
    channel_message_id: row.id,
    message_sid: row.message_sid,
    meta_message_id: `wamid.${row.message_sid}`,
    conversation_id: conversation?.uuid ?? null,
    assistant_id: conversation?.assistant_uuid ?? null,
    sender,
    to: row.recipient_phone,
    from: sender.phone_number,
    direction: 'outbound',
    status,
    error_code: error.code ?? null,
    error_message: error.message ?? null,
    error_description: error.description ?? null,
    timestamp: toIsoMillis(now),
    provider_timestamp: toIsoMillis(now),
  }
  await publishMessageStatus(query, {
    account: row.account_id,
    kind: 'message.status',
    subject: `conversation ${row.conversation_id}`,
    payload,
    now,
    sender: sender.id,
  })
}
