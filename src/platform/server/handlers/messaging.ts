import type { ListedMessage } from '../../../contract/resources/message-records.ts'
import {
  type MessageTemplate,
  messaging,
  type Sender,
  type SenderAssignment,
} from '../../../contract/resources/messaging.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type MessagingSession, messagingService, toSessionStatus } from '../../services/messaging/messaging-service.ts'
import { type SentMessage, sendService } from '../../services/messaging/send-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ChannelMessageRow } from '../../store/messaging/channel-messages.ts'
import type { TemplateRow } from '../../store/messaging/message-templates.ts'
import type { AssignedSender, SenderRow } from '../../store/messaging/senders.ts'
import { toPage } from '../http/page-envelope.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const messagingResource = (deps: Deps): LoadedResource => loadedResource(messaging, messagingHandlers(deps))

/** Creates the handlers of messaging. */
function messagingHandlers(deps: Deps): HandlersOf<typeof messaging> {
  const service = messagingService(deps)
  const sends = sendService(deps)
  return {
    senders: async ({ status }, { account }) => ({ data: (await service.senders(account.id, status)).map(toSender) }),
    templates: async ({ senderId, status }, { account }) => ({
      data: (await service.templates(account.id, senderId, status)).map(toTemplate),
    }),
    listAssignments: async (_, { account }) => ({ data: (await service.assignments(account.id)).map(toAssignment) }),
    async updateAssignment({ id, assistant_id }, { account }) {
      const data = toAssignment(await service.assign(account.id, id, assistant_id))
      return { message: `Assistant ${data.assistant_id === null ? 'removed' : 'assigned'} successfully`, data }
    },
    async list(input, { account, origin }) {
      const paging = { page: input.page, perPage: input.per_page }
      const { items, total } = await service.messages(account.id, input, paging)
      return toPage(items.map(toListed), { total, path: messaging.list.path, origin, input })
    },
    async send(
      { sender_id, template_id, recipient_phone, recipient_name, variables = {}, now },
      { account, idempotencyKey },
    ) {
      const draft = {
        senderId: sender_id,
        templateId: template_id,
        recipient: recipient_phone,
        recipientName: recipient_name,
        variables,
      }
      const sent = await sends.template(account, draft, idempotencyKey, now ? 'starts' : 'waits')
      return { ...toSent(sent), status: sent.delivery_status }
    },
    async sendFreeform({ sender_id, recipient_phone, message, media_url, filename, now }, { account, idempotencyKey }) {
      const draft = { senderId: sender_id, recipient: recipient_phone, message, mediaUrl: media_url, filename }
      const sent = await sends.freeform(account, draft, idempotencyKey, now ? 'starts' : 'waits')
      return {
        ...toSent(sent),
        session_status: toSessionStatus(await service.session(account.id, sender_id, sent.recipient_phone)),
      }
    },
    async session({ sender_id, recipient_phone }, { account }) {
      const session = await service.session(account.id, sender_id, recipient_phone)
      const { conversation } = session
      return {
        success: true,
        has_conversation: conversation !== null,
        ...(conversation && toContact(conversation)),
        session_status: toSessionStatus(session),
      }
    },
    async sessions(input, { account, origin }) {
      const paging = { page: input.page, perPage: input.per_page }
      const { items, total } = await service.sessions(account.id, input, paging)
      const rows = items.map((session) => ({
        sender_id: session.senderId,
        recipient_phone: session.recipient,
        ...toContact(session.conversation),
        session_status: toSessionStatus(session),
      }))
      return toPage(rows, { total, path: messaging.sessions.path, origin, input })
    },
  }
}

const toContact = (conversation: NonNullable<MessagingSession['conversation']>) => ({
  conversation_id: conversation.id,
  customer_name: conversation.customerName,
  last_customer_message_at:
    conversation.lastCustomerMessageAt === null ? null : toIsoMicros(conversation.lastCustomerMessageAt),
})

const toListed = (row: ChannelMessageRow): ListedMessage => ({
  id: row.id,
  sender_id: row.sender_id,
  recipient_phone: row.recipient_phone,
  template_id: row.template_id,
  conversation_id: row.conversation_id,
  message_sid: row.message_sid,
  status: (row.state === 'sent' ? row.delivery_status : row.state) as ListedMessage['status'],
  error: row.failure === null ? null : (parseJson(row.failure) as { text: string }).text,
  body: row.body,
  media_url: row.media_url,
  // A message that the channel refused was refunded.
  cost: row.state === 'failed' ? 0 : fromMillionths(row.cost),
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})

const toSent = (sent: SentMessage) => ({
  success: true as const,
  conversation_id: sent.conversation_id,
  message_id: sent.message_id,
  channel_message_id: sent.id,
  message_sid: sent.message_sid,
})

function limitOf({ limit_known, messaging_limit }: SenderRow): string {
  if (limit_known === 0) return 'Unknown'
  return messaging_limit === null ? 'Unlimited' : `${messaging_limit.toLocaleString('en-US')} / 24hr`
}

const toSender = (row: SenderRow): Sender => ({
  id: row.id,
  phone_number: row.phone_number,
  display_name: row.display_name,
  status: row.status,
  quality_rating: row.quality_rating as Sender['quality_rating'],
  // Null means unlimited (section 2.8). While the limit is unknown, nothing may be sent.
  messaging_limit: row.limit_known === 0 ? 0 : row.messaging_limit,
  messaging_limit_formatted: limitOf(row),
})

const toAssignment = (row: AssignedSender): SenderAssignment => ({
  id: row.id,
  phone_number: row.phone_number,
  display_name: row.display_name,
  status: row.status,
  assistant_id: row.assistant_id,
  assistant_name: row.assistant_name,
})

const toTemplate = (row: TemplateRow): MessageTemplate => {
  const variables = parseJson(row.variables) as string[]
  return {
    id: row.id,
    name: row.name,
    language: row.language,
    category: row.category as MessageTemplate['category'],
    status: row.status as MessageTemplate['status'],
    body_text: row.body_text,
    variables,
    has_variables: variables.length > 0,
  }
}
