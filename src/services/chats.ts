import { Failure, failures } from '../contract/errors.ts'
import { day } from '../events/clock.ts'
import { findAccount } from '../store/accounts.ts'
import { type ConversationRow, changeConversation, findConversation } from '../store/conversations.ts'
import { appendMessages } from '../store/messages.ts'
import type { Deps } from './deps.ts'
import { charge, isAffordable } from './ledger.ts'
import { type Thought, think } from './thinking.ts'
import { type Answered, answeredBefore, freeMessageKey, messagePrice, turnOf } from './turns.ts'

const failed = (details: string): Failure =>
  new Failure('conversations.failed', { text: failures['conversations.failed'].text.replace('{details}', () => details) })

/**
 * Messages of a chat (section 4.9). The message, its reply and its charge commit together, after the model has answered: what has no reply costs
 * nothing and leaves nothing. A request under a key that has brought its message already is told what was answered.
 */
export function chatService(deps: Deps) {
  const { connection, clock } = deps

  return {
    /** @throws Failure with one of the refusals of section 4.9 */
    async send(uuid: string, text: string, key?: string): Promise<Answered> {
      const conversation = await findConversation(connection.read, uuid)
      if (!conversation || conversation.type === 'messaging') throw new Failure('conversations.not_found')
      const { id, account_id } = conversation
      const before = await answeredBefore(connection.read, account_id, key, (await clock.now()) - day)
      if (before) return before

      const owner = await findAccount(connection.read, account_id)
      const price = conversation.type === 'widget' ? messagePrice : 0
      if (!owner || !isAffordable(owner, price)) throw new Failure('conversations.insufficient_balance')
      const reply = conversation.ai_enabled === 1 ? await replyTo(conversation, text, key) : null
      return connection.write(async (query) => {
        const now = await clock.now(query)
        const earlier = await answeredBefore(query, account_id, key, now - day)
        if (earlier) return earlier
        await freeMessageKey(query, account_id, key, now - day)
        const [message] = await appendMessages(query, { account: account_id, conversation: id, said: turnOf(text, reply, key), cost: price, now })
        if (price > 0 && !(await charge(query, owner, price, { reason: `Message in conversation ${uuid}`, reference: `chat-${id}-${message}`, now })))
          throw new Failure('conversations.insufficient_balance')
        if (reply?.handOver !== undefined) await changeConversation(query, id, { assistant_id: reply.handOver })
        if (reply?.ends) await deps.endConversation?.(query, (await findConversation(query, uuid)) as ConversationRow, now)
        return { text: reply?.text ?? null, calls: reply?.calls ?? [] }
      })
    },
  }

  async function replyTo(conversation: ConversationRow, text: string, key: string | undefined): Promise<Thought> {
    const { id, assistant_id, variables, customer_phone } = conversation
    const assistant = await connection.read.selectFrom('assistant').selectAll().where('id', '=', assistant_id).executeTakeFirstOrThrow()
    if (assistant.deleted_at !== null) throw failed('The assistant was deleted.')
    const telling = key === undefined ? undefined : deps.followed.begin(key)
    try {
      const reply = await think(deps, {
        assistant,
        conversation: id,
        customerPhone: customer_phone,
        variables: JSON.parse(variables),
        text,
        mayHandOver: true,
        mayEnd: deps.endConversation !== undefined,
        onText: telling?.onText,
        onRun: telling?.onRun,
      })
      if (!reply.ok) throw failed(reply.reason)
      return reply
    } finally {
      telling?.done()
    }
  }
}
