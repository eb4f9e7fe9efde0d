import { Failure, failures } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import type { ModelReply } from '../../../engine/ports.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { type AssistantRow, findAssistant, findAssistantById } from '../../store/assistants/assistants.ts'
import {
  type ConversationRow,
  findConversation,
  findConversationUuid,
  findOpenApiConversation,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { appendMessages } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { canReserve, type Payer, payerOf, requireReservable } from '../billing/key-budget.ts'
import { charge, isAffordable } from '../billing/ledger.ts'
import type { Deps } from '../runtime/deps.ts'
import { maySpend, type RestrictedKey } from '../runtime/key-access.ts'
import { mergeVariables } from '../runtime/merge-variables.ts'
import { type ChatReply, findPreviousReply, freeMessageKey, messagePrice, toMessages } from './chat-turns.ts'
import { createConversation } from './conversation-service.ts'
import { findConversationByUuid } from './find-conversation.ts'
import { type AssistantReply, generateReply } from './generate-reply.ts'

const chatFailure = (details: string): Failure =>
  new Failure('conversations.failed', {
    text: failures['conversations.failed'].text.replace('{details}', () => details),
  })

/**
 * Accepts messages of a chat (section 4.9). The message, its reply and its charge are committed together after the
 * model has answered. A message without a reply costs nothing and is not stored. A repeated request under the same key
 * gets the same reply.
 */
export function chatService(deps: Deps) {
  const { connection, clock } = deps

  return {
    /** Stores a message and returns the assistant's reply. @throws Failure with one of the refusals of section 4.9 */
    async send(uuid: string, text: string, key?: string, sentWith?: RestrictedKey): Promise<ChatReply> {
      const conversation = await findConversationByUuid(deps, uuid)
      if (!conversation || conversation.type === 'messaging') throw new Failure('conversations.not_found')
      const { id, account_id } = conversation
      const read = accountQuery(connection.read, account_id)
      const previous = await findPreviousReply(read, key, (await clock.now()) - day)
      if (previous) return previous

      const found = await findAccount(connection.read, account_id)
      // The key that created the conversation pays. A key that is sent besides must be allowed to spend, too.
      const owner = found && payerOf(found, conversation.key_id)
      const price = conversation.type === 'widget' ? messagePrice : 0
      if (!owner || !isAffordable(owner, price)) throw new Failure('conversations.insufficient_balance')
      if (price > 0 && !(maySpend(sentWith) && (await canReserve(read, owner, price, await clock.now()))))
        throw new Failure('conversations.insufficient_balance')
      const reply = conversation.ai_enabled === 1 ? await generateChatReply(conversation, text, key) : null
      return connection.write({ account: account_id }, async (query) => {
        const now = await clock.now(query)
        const earlier = await findPreviousReply(query, key, now - day)
        if (earlier) return earlier
        await freeMessageKey(query, key, now - day)
        const [message] = await appendMessages(query, {
          conversation: id,
          messages: toMessages(text, reply, key),
          cost: price,
          now,
        })
        if (
          price > 0 &&
          !(
            (await canReserve(query, owner, price, now)) &&
            (await charge(query, owner, price, {
              reason: `Message in conversation ${uuid}`,
              // Read by `usageKindOf` and `referencedId` from the ledger: it never changes.
              reference: `chat-${id}-${message}`,
              now,
            }))
          )
        )
          throw new Failure('conversations.insufficient_balance')
        if (reply?.transferTo !== undefined) await updateConversation(query, id, { assistant_id: reply.transferTo })
        if (reply?.endsConversation)
          await deps.endConversation?.(query, requireValue(await findConversation(query, uuid)), now)
        return { text: reply?.text ?? null, calls: reply?.calls ?? [] }
      })
    },
  }

  async function generateChatReply(
    conversation: ConversationRow,
    text: string,
    key: string | undefined,
  ): Promise<AssistantReply> {
    const { id, account_id, assistant_id, variables, customer_phone } = conversation
    const assistant = requireValue(await findAssistantById(accountQuery(connection.read, account_id), assistant_id))
    if (assistant.deleted_at !== null) throw chatFailure('The assistant was deleted.')
    const publisher = key === undefined ? undefined : deps.replyStreams.start(key)
    try {
      const reply = await generateReply(deps, {
        assistant,
        conversation: id,
        customerPhone: customer_phone,
        variables: parseJson(variables),
        text,
        canTransfer: true,
        canEnd: deps.endConversation !== undefined,
        onText: publisher?.onText,
        onRun: publisher?.onRun,
      })
      if (!reply.ok) throw chatFailure(reply.reason)
      return reply
    } finally {
      publisher?.done()
    }
  }
}

/** A customer's message on a channel that the caller operates. */
interface ReplyDraft {
  readonly assistantId: number
  readonly customer: string
  readonly message: string
  readonly variables: Variables
}

/** A reply with the UUID of its conversation. */
type ApiReply = ChatReply & { readonly uuid: string }

/**
 * Generates replies for channels that the caller operates. Each customer of an assistant has one `api` conversation,
 * created with the first message.
 */
export function replyService(deps: Deps) {
  const { connection, clock } = deps

  async function generateApiReply(
    assistant: AssistantRow,
    open: ConversationRow | undefined,
    { message, variables, customer }: ReplyDraft,
  ): Promise<ModelReply> {
    const known = { ...parseJson(open?.variables ?? '{}'), ...variables }
    const reply = await generateReply(deps, {
      assistant,
      conversation: open?.id,
      customer,
      variables: known,
      text: message,
    })
    if (!reply.ok)
      throw new Failure('replies.failed', {
        text: failures['replies.failed'].text.replace('{details}', () => reply.reason),
      })
    return reply
  }

  return {
    /**
     * Stores a message and its reply, the charge and changes of the conversation in one transaction. Idempotency keys
     * work as in chats. @throws Failure 402, 404, 422
     */
    async generate(account: Payer, draft: ReplyDraft, key?: string): Promise<ApiReply> {
      const read = accountQuery(connection.read, account.id)
      const assistant = await findAssistant(read, draft.assistantId)
      if (!assistant) throw new Failure('replies.assistant_not_found')
      const previous = await findPreviousReply(read, key, (await clock.now()) - day)
      if (previous) return { ...previous, uuid: await findConversationUuid(read, previous.conversation) }

      const open = await findOpenApiConversation(read, assistant.id, draft.customer)
      const isAnswering = open === undefined || open.ai_enabled === 1
      const price = isAnswering ? messagePrice : 0
      if (!isAffordable(account, price)) throw new Failure('replies.insufficient_balance')
      if (price > 0) await requireReservable(read, account, price, await clock.now())
      const reply = isAnswering ? await generateApiReply(assistant, open, draft) : null
      const stored = await connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        const earlier = await findPreviousReply(query, key, now - day)
        if (earlier) return earlier
        await freeMessageKey(query, key, now - day)
        const find = () => findOpenApiConversation(query, assistant.id, draft.customer)
        const join = async () =>
          (await find()) ??
          (await createConversation(query, deps, assistant, {
            type: 'api',
            identifier: draft.customer,
            variables: {},
            now,
          }))
        // A concurrent request may have created the conversation first.
        const conversation = requireValue((await join()) ?? (await find()))
        const variables = mergeVariables(conversation.variables, draft.variables)
        if (variables !== conversation.variables) await updateConversation(query, conversation.id, { variables })
        const said = toMessages(draft.message, reply, key)
        const [message] = await appendMessages(query, {
          conversation: conversation.id,
          messages: said,
          cost: price,
          now,
        })
        const movement = {
          reason: `Reply in conversation ${conversation.uuid}`,
          // The same as for a message of a customer: it never changes.
          reference: `chat-${conversation.id}-${message}`,
          now,
        }
        if (price > 0 && !(await charge(query, account, price, movement)))
          throw new Failure('replies.insufficient_balance')
        return { text: reply?.text ?? null, calls: reply?.calls ?? [], conversation: conversation.id }
      })
      return { ...stored, uuid: await findConversationUuid(read, stored.conversation) }
    },
  }
}
