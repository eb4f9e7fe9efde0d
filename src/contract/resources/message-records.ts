import { isoMicros } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** State of the 24-hour window in which messages need no template. */
export const SessionStatus = z.object({
  is_open: z.boolean(),
  can_send_freeform: z.boolean(),
  requires_template: z.boolean(),
  message: z.string(),
  minutes_remaining: z.int().nullable().optional(),
  expires_at: z.string().nullable().optional().describe('When an open window closes, ISO 8601 UTC'),
  expired_at: z.string().nullable().optional().describe('When a closed window closed, ISO 8601 UTC'),
})
export type SessionStatus = z.output<typeof SessionStatus>

/** The 24-hour window of a sender and a recipient, in a list. */
export const ListedSession = z.object({
  sender_id: z.int(),
  recipient_phone: z.string(),
  customer_name: z.string().nullable(),
  conversation_id: z.int().describe('Id of their conversation'),
  last_customer_message_at: z.string().nullable().describe('ISO 8601 UTC'),
  session_status: SessionStatus,
})
export type ListedSession = z.output<typeof ListedSession>

/**
 * Delivery statuses of messages: `sending` until the channel has answered. Rows of messages have them;
 * delivery-status.ts of the platform says in which order they follow.
 */
export const messageStatuses = ['sending', 'queued', 'sent', 'delivered', 'read', 'failed', 'undelivered'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Statuses that the channel reports. Webhooks have them. */
export const reportedStatuses = [
  'sent',
  'delivered',
  'read',
  'failed',
  'undelivered',
] as const satisfies readonly MessageStatus[]

/** A message that a sender has sent, in a list. */
export const ListedMessage = z.object({
  id: z.int(),
  sender_id: z.int(),
  recipient_phone: z.string(),
  template_id: z.int().nullable().describe('Id of the template; null for a message without one'),
  conversation_id: z.int().nullable(),
  message_sid: z.string().nullable(),
  status: z.enum(messageStatuses),
  error: z.string().nullable().describe('Why the channel refused the message'),
  body: z.string(),
  media_url: z.string().nullable(),
  cost: z.number().describe('USD'),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type ListedMessage = z.output<typeof ListedMessage>
