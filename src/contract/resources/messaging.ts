import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import {
  assumed,
  checkDateOrder,
  count,
  dataList,
  dateRange,
  e164Number,
  evenIfInvalid,
  id,
  messageWithData,
  outsideHours,
  pageEnvelope,
  pageParameters,
  text,
  visibleText,
  webAddress,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { ListedMessage, ListedSession, messageStatuses, SessionStatus } from './message-records.ts'

/** Sender of the messaging channel (section 2.8). */
export const Sender = z.object({
  id: z.int(),
  phone_number: e164Number,
  display_name: z.string(),
  status: z.enum(['online', 'offline']),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED']),
  messaging_limit: count
    .nullable()
    .describe('Unique recipients per 24 hours; null means unlimited, 0 means not known yet'),
  messaging_limit_formatted: z.string(),
  voice_calling_enabled: assumed(z.boolean().optional()),
})
export type Sender = z.output<typeof Sender>

/** Sender with the assistant that answers for it. The specification does not state how the two are connected. */
export const SenderAssignment = z.object({
  ...Sender.pick({ id: true, phone_number: true, display_name: true, status: true }).shape,
  assistant_id: z.int().nullable().describe('Id of the assistant; null without one'),
  assistant_name: z.string().nullable(),
})
export type SenderAssignment = z.output<typeof SenderAssignment>

/** Message template (section 2.9). */
export const MessageTemplate = z.object({
  id: z.int(),
  name: z.string(),
  language: z.string(),
  category: z.enum(['marketing', 'utility', 'authentication']),
  status: z.enum(['approved', 'pending', 'rejected']),
  body_text: z.string(),
  variables: z.array(z.string()),
  has_variables: z.boolean(),
})
export type MessageTemplate = z.output<typeof MessageTemplate>

const SentMessage = z.object({
  success: z.literal(true),
  conversation_id: z.int(),
  message_id: z.int(),
  channel_message_id: z.int(),
  message_sid: z.string(),
  status: z.string().describe('First delivery status, such as queued or sent'),
})

/**
 * Rate limit of sections 4.12 and 8. Public deployments apply the same limit to messages without a template. `send` and
 * `sendFreeform` share it by its name, which rows of counted requests have.
 */
const sendRateLimit = { name: 'messaging.send', max: 5, seconds: 1 } as const

const recipient = {
  sender_id: id.describe('Id of the sender (parley messaging senders)'),
  recipient_phone: z.string().describe('Number of the recipient, E.164'),
}

/** Returns whether the extension of a URL is that of an audio file. The channel drops the caption of audio. */
export const isAudioAddress = (address: string): boolean =>
  URL.canParse(address) && /\.(aac|amr|m4a|mp3|oga|ogg|opus|wav)$/i.test(new URL(address).pathname)

const freeform = z
  .object({
    ...recipient,
    message: visibleText(4096)
      .optional()
      .describe('Text or media caption, at most 4096 characters; required without media'),
    media_url: webAddress(2048)
      .optional()
      .describe('URL of an image, video, audio file or document; audio has no caption'),
    filename: text(255, 1).optional().describe('Name of the document'),
    now: outsideHours,
  })
  .superRefine((body, ctx) => {
    if (body.message === undefined && body.media_url === undefined)
      ctx.addIssue({
        code: 'custom',
        path: ['message'],
        message: 'The message field is required when media url is not present.',
      })
  }, evenIfInvalid)

const senderAssistantsOnly = parleyServerOnly(
  'sender-assistants',
  'The assistant that answers for each messaging sender can be read, assigned and unassigned',
)

export const messaging = resource('messaging', {
  senders: {
    method: 'GET',
    path: '/api/user/messaging/senders',
    summary: 'List messaging senders',
    query: z.object({
      status: z
        .enum(['online', 'offline', 'all'])
        .default('online')
        .describe('Filter by status; all lists every sender'),
    }),
    status: 200,
    output: dataList(Sender),
    errors: [],
    risk: 'read',
    section: '4.10',
    items: 'data',
  },
  templates: {
    method: 'GET',
    path: '/api/user/messaging/senders/{senderId}/templates',
    summary: 'List message templates of a sender',
    params: z.object({ senderId: id.describe('Id of the sender') }),
    query: z.object({
      status: z
        .enum(['approved', 'pending', 'rejected', 'all'])
        .default('approved')
        .describe('Filter by status; all lists every template'),
    }),
    status: 200,
    output: dataList(MessageTemplate),
    errors: ['messaging.templates_sender_not_found'],
    risk: 'read',
    section: '4.11',
    items: 'data',
  },
  listAssignments: {
    ...senderAssistantsOnly,
    method: 'GET',
    path: '/api/user/messaging/assignments',
    summary: 'List messaging senders with their assistants',
    status: 200,
    output: dataList(SenderAssignment),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  updateAssignment: {
    ...senderAssistantsOnly,
    method: 'PUT',
    path: '/api/user/messaging/senders/{id}/assistant',
    summary: 'Assign an assistant to a messaging sender',
    params: z.object({ id: id.describe('Id of the sender') }),
    body: z.object({
      assistant_id: id.nullable().optional().describe('Id of the assistant that answers for the sender'),
    }),
    status: 200,
    output: messageWithData(SenderAssignment),
    errors: ['messaging.sender_not_found'],
    risk: 'write',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  list: {
    ...parleyServerOnly(
      'messaging-list',
      'The messages that senders and campaigns have sent can be listed, with their delivery status',
      '8',
    ),
    method: 'GET',
    path: '/api/user/messaging/messages',
    summary: 'List messages sent by messaging senders',
    query: z
      .object({
        sender_id: id.optional().describe('Only messages of this sender'),
        template_id: id.optional().describe('Only messages with this template'),
        recipient_phone: z.string().optional().describe('Only messages to this number, E.164'),
        status: z.enum(messageStatuses).optional().describe('Delivery status of the message'),
        ...dateRange,
        ...pageParameters(15),
      })
      .superRefine(checkDateOrder, evenIfInvalid),
    status: 200,
    output: pageEnvelope(ListedMessage),
    errors: ['messaging.sender_not_found'],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  send: {
    method: 'POST',
    path: '/api/user/messaging/send',
    summary: 'Send a template message, charged to the balance',
    body: z.object({
      ...recipient,
      template_id: id.describe('Id of the template (parley messaging templates)'),
      recipient_name: text(255).optional().describe('Name of the recipient, at most 255 characters'),
      variables: z.record(z.string(), z.string()).optional().describe('Values of the placeholders, by number or name'),
      now: outsideHours,
    }),
    status: 200,
    output: SentMessage,
    errors: [
      'messaging.insufficient_balance',
      'messaging.sender_not_found',
      'messaging.template_not_found',
      'messaging.sender_offline',
      'messaging.template_not_approved',
      'messaging.invalid_phone',
      'messaging.template_not_synced',
      'messaging.template_mismatch',
      'messaging.no_assistant',
      'messaging.limit_unavailable',
      'messaging.voice_call_limit',
      'contacts.blocked',
      'contacts.waiting',
      'contacts.not_waiting',
      'contacts.never_open',
      'messaging.provider_error',
      'messaging.unknown',
      'user.stopped',
      'throttled',
    ],
    risk: 'spends',
    isMessage: true,
    successProof: { message_id: 'id' },
    limit: sendRateLimit,
    section: '4.12',
  },
  sendFreeform: {
    method: 'POST',
    path: '/api/user/messaging/send-freeform',
    summary: 'Send text or media within 24 hours, charged to the balance',
    body: freeform,
    status: 200,
    output: SentMessage.omit({ status: true }).extend({ session_status: SessionStatus }),
    errors: [
      'messaging.insufficient_balance',
      'messaging.session_expired',
      'messaging.sender_not_found',
      'messaging.sender_offline_freeform',
      'messaging.invalid_phone',
      'messaging.no_assistant',
      'contacts.blocked',
      'contacts.waiting',
      'contacts.not_waiting',
      'contacts.never_open',
      'messaging.provider_error',
      'messaging.unknown',
      'user.stopped',
      'throttled',
    ],
    risk: 'spends',
    isMessage: true,
    successProof: { message_id: 'id' },
    limit: sendRateLimit,
    section: '8',
    assumed: 'public deployments',
  },
  session: {
    method: 'GET',
    path: '/api/user/messaging/session-status',
    summary: 'Show whether the 24-hour window of a recipient is open',
    query: z.object(recipient),
    status: 200,
    output: z.object({
      success: z.literal(true),
      has_conversation: z.boolean(),
      conversation_id: z.int().nullable().optional(),
      customer_name: z.string().nullable().optional(),
      last_customer_message_at: z.string().nullable().optional().describe('ISO 8601 UTC'),
      session_status: SessionStatus,
    }),
    errors: ['messaging.sender_not_found', 'messaging.invalid_phone'],
    risk: 'read',
    section: '8',
    assumed: 'public deployments',
  },
  sessions: {
    ...parleyServerOnly('messaging-sessions', 'The 24-hour messaging windows of all recipients can be listed', '8'),
    method: 'GET',
    path: '/api/user/messaging/sessions',
    summary: 'List recipients and their 24-hour windows',
    query: z.object({
      sender_id: id.optional().describe('Only windows of this sender'),
      status: z.enum(['open', 'closed', 'all']).default('open').describe('Filter by status; all lists every window'),
      ...pageParameters(15),
    }),
    status: 200,
    output: pageEnvelope(ListedSession),
    errors: ['messaging.sender_not_found'],
    risk: 'read',
    items: 'data',
    paged: true,
  },
})
