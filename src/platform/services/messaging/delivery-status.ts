import { reportedStatuses } from '../../../contract/resources/message-records.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { toIsoMillis } from '../../../contract/values/micros.ts'
import { findConversationUuids } from '../../store/conversations/conversations.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { type ChannelMessageRow, setDeliveryStatus } from '../../store/messaging/channel-messages.ts'
import { describeSender } from '../../store/messaging/senders.ts'
import { publishMessageStatus } from '../deliveries/event-publisher.ts'

/** Delivery statuses of messages that the channel has accepted. Rows and webhooks have these words. */
export const deliveryStatuses = ['queued', ...reportedStatuses] as const
/** The delivery status of a message. */
type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Order of the delivery statuses. A delivered message cannot fail. */
const statusRank: Readonly<Record<string, number>> = { queued: 0, sent: 1, delivered: 2, read: 3 }
const isFinalStatus = (status: string): boolean => status === 'failed' || status === 'undelivered' || status === 'read'

/** Returns whether a message may change from one status to another. Statuses only move forward. */
function canAdvance(from: string, to: string): boolean {
  if (isFinalStatus(from)) return false
  if (to === 'failed' || to === 'undelivered') return (statusRank[from] ?? 0) < 2
  return (statusRank[to] ?? 0) > (statusRank[from] ?? 0)
}

/** The channel's error for a message that was not delivered. */
interface DeliveryError {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly description?: string | undefined
}

/**
 * Advances the delivery status of a message and notifies the sender's webhook (facts 3.3), in the caller's transaction.
 * Returns false and changes nothing when the status is the same or would move back.
 */
export async function advanceStatus(
  query: AccountQuery,
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

/**
 * Publishes the delivery status of a message to the sender's webhook, in the caller's transaction. Receivers read the fields of the
 * payload (facts 3.3): they never change.
 */
export async function publishDeliveryStatus(
  query: AccountQuery,
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
