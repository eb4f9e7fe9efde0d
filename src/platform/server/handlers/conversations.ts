import { detailsFull, detailsHeader } from '../../../contract/automations/automation-headers.ts'
import { type Conversation, conversations, type HistoryMessage } from '../../../contract/resources/conversations.ts'
import { replies } from '../../../contract/resources/replies.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { parseJson } from '../../../node/json.ts'
import { toPlainTime } from '../../jobs/clock.ts'
import { chatService, replyService } from '../../services/conversations/chat-service.ts'
import { type ConversationDetails, conversationService } from '../../services/conversations/conversation-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ConversationRow, ListedConversation } from '../../store/conversations/conversations.ts'
import type { MessageRow } from '../../store/conversations/messages.ts'
import { toPage } from '../http/page-envelope.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const replyResource = (deps: Deps): LoadedResource => loadedResource(replies, replyHandlers(deps))

/** Creates the handlers of replies. */
function replyHandlers(deps: Deps): HandlersOf<typeof replies> {
  const service = replyService(deps)
  return {
    async generate({ assistant_id, customer_identifier, message, variables = {} }, { account, idempotencyKey }) {
      const draft = { assistantId: assistant_id, customer: customer_identifier, message, variables }
      const { uuid, text, calls } = await service.generate(account, draft, idempotencyKey)
      return {
        success: true,
        conversation_id: uuid,
        customer_identifier,
        reply: text,
        function_calls: calls.map((it) => ({ ...it })),
        ai_disabled: text === null,
      }
    },
  }
}

/** Returns the endpoints of the resource with their handlers. */
export const conversationResource = (deps: Deps): LoadedResource => ({
  ...loadedResource(conversations, conversationHandlers(deps)),
  findOwner: conversationOwner(deps),
})

/** Creates the handlers of conversations. */
function conversationHandlers(deps: Deps): HandlersOf<typeof conversations> {
  const service = conversationService(deps)
  const chats = chatService(deps)
  return {
    async list(input, { account, origin, requestHeaders }) {
      const isDetailed = requestHeaders[detailsHeader] === detailsFull
      const { rows, total } = await service.list(account.id, input, { page: input.page, perPage: input.per_page })
      return toPage(
        rows.map((row) => ({ ...toWire(row), ...(isDetailed && { status: statusOf(row), ...customerOf(row) }) })),
        { total, path: conversations.list.path, origin, input },
      )
    },
    async create({ assistant_id, type, variables = {} }, { account, key }) {
      const { conversation, messages } = await service.create(account.id, assistant_id, type, variables, key)
      return { status: true, conversation_id: conversation.uuid, history: messages.map(toHistory) }
    },
    get: async ({ uuid }) => toTranscript(await service.get(uuid)),
    async send({ uuid, message }, { idempotencyKey, key }) {
      const { text, calls } = await chats.send(uuid, message, idempotencyKey, key)
      return { status: true, message: text ?? '', function_calls: calls.map((it) => ({ ...it })) }
    },
    async enableAi({ uuid }, { account }) {
      await service.setAiEnabled(account.id, uuid, true)
      return { status: true, ai_enabled: true }
    },
    async disableAi({ uuid }, { account }) {
      await service.setAiEnabled(account.id, uuid, false)
      return { status: true, ai_enabled: false }
    },
  }
}

/** Returns the function that finds the account of a conversation request without an API key. */
const conversationOwner =
  (deps: Deps): NonNullable<LoadedResource['findOwner']> =>
  (input) =>
    conversationService(deps).owner(input)

const statusOf = ({ status }: ListedConversation): 'open' | 'ended' => (status === 'open' ? 'open' : 'ended')

/** Returns who takes part in a conversation, as far as the platform knows. */
const customerOf = (conversation: ConversationRow): Pick<Conversation, 'customer' | 'external_identifier'> => ({
  customer:
    conversation.customer_phone === null
      ? null
      : { name: conversation.customer_name, phone: conversation.customer_phone },
  external_identifier: conversation.external_identifier,
})

const toWire = (row: ListedConversation): Conversation => ({
  id: row.uuid,
  assistant_id: row.assistant_uuid,
  assistant_name: row.assistant_name,
  type: row.type,
  message_count: row.message_count,
  total_cost: fromMillionths(row.total_cost),
  ai_enabled: row.ai_enabled === 1,
  created_at: toPlainTime(row.created_at),
  updated_at: toPlainTime(row.updated_at),
})

const toHistory = ({ role, content, function_calls }: MessageRow): HistoryMessage => ({
  role: role as HistoryMessage['role'],
  content,
  ...(function_calls !== null && { function_calls: parseJson(function_calls) }),
})

const toTranscript = ({ conversation, messages, sender }: ConversationDetails) => ({
  status: true as const,
  history: messages.map(toHistory),
  variables: parseJson(conversation.variables) as Record<string, unknown>,
  ...(conversation.type === 'api' && { external_identifier: conversation.external_identifier }),
  ...(sender && { messaging_sender: { name: sender.display_name, phone: sender.phone_number } }),
  ...(conversation.customer_phone !== null && {
    customer: { name: conversation.customer_name, phone: conversation.customer_phone },
  }),
})
