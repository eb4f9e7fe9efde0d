import { Failure, failures } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistantById } from '../../store/assistants/assistants.ts'
import { type ConversationRow, findConversation, updateConversation } from '../../store/conversations/conversations.ts'
import { appendMessages } from '../../store/conversations/messages.ts'
import { charge, isAffordable } from '../billing/ledger.ts'
import type { Deps } from '../runtime/deps.ts'
import { type ChatReply, findPreviousReply, freeMessageKey, messagePrice, toMessages } from './chat-turns.ts'
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
    async send(uuid: string, text: string, key?: string): Promise<ChatReply> {
      const conversation = await findConversation(connection.read, uuid)
      if (!conversation || conversation.type === 'messaging') throw new Failure('conversations.not_found')
      const { id, account_id } = conversation
      const previous = await findPreviousReply(connection.read, account_id, key, (await clock.now()) - day)
      if (previous) return previous

      const owner = await findAccount(connection.read, account_id)
      const price = conversation.type === 'widget' ? messagePrice : 0
      if (!owner || !isAffordable(owner, price)) throw new Failure('conversations.insufficient_balance')
      const reply = conversation.ai_enabled === 1 ? await generateChatReply(conversation, text, key) : null
      return connection.write({ account: account_id }, async (query) => {
        const now = await clock.now(query)
        const earlier = await findPreviousReply(query, account_id, key, now - day)
        if (earlier) return earlier
        await freeMessageKey(query, account_id, key, now - day)
        const [message] = await appendMessages(query, {
          account: account_id,
          conversation: id,
          messages: toMessages(text, reply, key),
          cost: price,
          now,
        })
        if (
          price > 0 &&
          !(await charge(query, owner, price, {
            reason: `Message in conversation ${uuid}`,
            reference: `chat-${id}-${message}`,
            now,
          }))
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
    const { id, assistant_id, variables, customer_phone } = conversation
    const assistant = requireValue(await findAssistantById(connection.read, assistant_id))
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
