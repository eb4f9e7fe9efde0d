import { Failure, failures } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import type { ModelReply } from '../../../engine/ports.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { type AssistantRow, findAssistant } from '../../store/assistants/assistants.ts'
import {
  type ConversationRow,
  findConversationUuid,
  findOpenApiConversation,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { appendMessages } from '../../store/conversations/messages.ts'
import { charge, isAffordable } from '../billing/ledger.ts'
import type { Deps } from '../runtime/deps.ts'
import { mergeVariables } from '../runtime/merge-variables.ts'
import { type ChatReply, findPreviousReply, freeMessageKey, messagePrice, toMessages } from './chat-turns.ts'
import { createConversation } from './conversation-service.ts'
import { generateReply } from './generate-reply.ts'

/** A customer's message on a channel that the caller operates. */
export interface ReplyDraft {
  readonly assistantId: number
  readonly customer: string
  readonly message: string
  readonly variables: Variables
}

/** A reply with the UUID of its conversation. */
export type ApiReply = ChatReply & { readonly uuid: string }

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
    async generate(account: AccountRow, draft: ReplyDraft, key?: string): Promise<ApiReply> {
      const assistant = await findAssistant(connection.read, account.id, draft.assistantId)
      if (!assistant) throw new Failure('replies.assistant_not_found')
      const previous = await findPreviousReply(connection.read, account.id, key, (await clock.now()) - day)
      if (previous) return { ...previous, uuid: await findConversationUuid(connection.read, previous.conversation) }

      const open = await findOpenApiConversation(connection.read, assistant.id, draft.customer)
      const isAnswering = open === undefined || open.ai_enabled === 1
      const price = isAnswering ? messagePrice : 0
      if (!isAffordable(account, price)) throw new Failure('replies.insufficient_balance')
      const reply = isAnswering ? await generateApiReply(assistant, open, draft) : null
      const stored = await connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        const earlier = await findPreviousReply(query, account.id, key, now - day)
        if (earlier) return earlier
        await freeMessageKey(query, account.id, key, now - day)
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
          account: account.id,
          conversation: conversation.id,
          messages: said,
          cost: price,
          now,
        })
        const movement = {
          reason: `Reply in conversation ${conversation.uuid}`,
          reference: `chat-${conversation.id}-${message}`,
          now,
        }
        if (price > 0 && !(await charge(query, account, price, movement)))
          throw new Failure('replies.insufficient_balance')
        return { text: reply?.text ?? null, calls: reply?.calls ?? [], conversation: conversation.id }
      })
      return { ...stored, uuid: await findConversationUuid(connection.read, stored.conversation) }
    },
  }
}
