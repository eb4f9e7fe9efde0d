import { Failure } from '../../../contract/errors/failures.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistantById } from '../../store/assistants/assistants.ts'
import {
  type ConversationRow,
  findConversationById,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import {
  appendMessages,
  findMessage,
  listEarlierUserMessages,
  listNextMessages,
  type MessageRow,
  setFunctionCalls,
} from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { listMessageIdsByKeys } from '../../store/messaging/channel-messages.ts'
import { findSenderAssistant, type SenderRow } from '../../store/messaging/senders.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { findContactRefusals } from '../contacts/contact-permission.ts'
import { applyOptOutReply, recordSuspectedOptOut } from '../contacts/opt-out-replies.ts'
import { publishConversationStarted } from '../conversations/conversation-events.ts'
import { generateReply } from '../conversations/generate-reply.ts'
import type { Deps } from '../runtime/deps.ts'
import { correspond } from './find-or-create-conversation.ts'
import { sendService } from './send-service.ts'

/** Kind of the job that answers a customer. The subject is the id of the customer's message. Its rows have this name, so it never changes. */
export const answerJobKind = 'conversation.answer'

/** Number of messages after and before one that are read to find out whether it was answered. */
const answerSearchLimit = 20

/** Returns the idempotency key of the reply to a message. Another key would answer the message again after a crash, so it never changes. */
const answerKey = ({ id, created_at }: Pick<MessageRow, 'id' | 'created_at'>): string => `answer-${id}-${created_at}`

/** A message from a customer. */
interface InboundMessage {
  readonly sender: SenderRow
  /** Phone number of the customer in E.164. */
  readonly from: string
  readonly name?: string | undefined
  readonly text: string
}

/** Receives and answers messages of customers on the messaging channel. */
export function inboundMessageService(deps: Deps) {
  const { connection, clock } = deps

  /** Returns the conversation with a customer. The start of a new one is published. */
  async function openConversation(
    query: AccountQuery,
    { sender, from, name }: InboundMessage,
    assistant: number,
    now: Micros,
  ): Promise<ConversationRow> {
    const row = await correspond(query, deps, {
      account: sender.account_id,
      sender: sender.id,
      assistant,
      customer: from,
      name,
      now,
    })
    const owner = requireValue(await findAssistantById(query, row.assistant_id))
    if (row.message_count === 0 && row.ends === 0) await publishConversationStarted(query, row, owner, now)
    return row
  }

  /**
   * Returns whether a message needs no reply any more: a later message of the customer is answered instead, or somebody
   * has answered. A reply of the assistant to an earlier message, which was stored after this one, does not count.
   */
  async function isAnswered(message: MessageRow): Promise<boolean> {
    const read = accountQuery(connection.read, message.account_id)
    const later = await listNextMessages(read, message, answerSearchLimit)
    if (later.length === 0 || later.some((it) => it.role === 'user')) return later.length > 0
    const earlier = await listEarlierUserMessages(read, message, answerSearchLimit)
    if (earlier.length === 0) return true
    const replies = await listMessageIdsByKeys(read, earlier.map(answerKey))
    return later.some((it) => !replies.includes(it.id))
  }

  /**
   * Sends the assistant's reply to a message as text within the 24-hour window. Does nothing when replies are disabled
   * or the model gives none.
   */
  async function generateAnswer(owner: number, message: number): Promise<void> {
    const read = accountQuery(connection.read, owner)
    const customerMessage = await findMessage(read, message)
    const conversation = customerMessage && (await findConversationById(read, customerMessage.conversation_id))
    const account = conversation && (await findAccount(connection.read, conversation.account_id))
    const assistant = conversation && (await findAssistantById(read, conversation.assistant_id))
    if (
      !customerMessage ||
      !conversation ||
      !account ||
      !assistant ||
      conversation.ai_enabled === 0 ||
      assistant.deleted_at !== null ||
      (await isAnswered(customerMessage)) ||
      // A customer who has opted out gets no automatic reply, also to a message of their own.
      (await findContactRefusals(read, 'messaging', [conversation.customer_phone ?? ''])).size > 0
    )
      return
    const context = {
      conversation: conversation.id,
      variables: parseJson(conversation.variables),
      customerPhone: conversation.customer_phone,
    }
    const reply = await generateReply(deps, { assistant, ...context, canEnd: deps.endConversation !== undefined })
    if (!reply.ok) return deps.log(`message ${message}: ${reply.reason}`)
    // The conversation may have continued during the generation. A reply that called functions is sent nevertheless: the
    // next one would call them again.
    const current = await findConversationById(read, conversation.id)
    if (!current || current.ai_enabled === 0) return
    if (reply.calls.length === 0 && (await isAnswered(customerMessage))) return
    const draft = {
      senderId: conversation.sender_id ?? 0,
      recipient: conversation.customer_phone ?? '',
      message: reply.text,
    }
    const sent = await sendService(deps)
      .freeform(account, draft, answerKey(customerMessage), 'reply')
      .catch((error) => {
        if (!(error instanceof Failure)) throw error
        deps.log(`message ${message}: ${error.message}`)
        return undefined
      })
    if (sent && reply.calls.length > 0)
      await connection.write({ account: account.id }, (query) =>
        setFunctionCalls(query, sent.message_id, stringifyJson(reply.calls)),
      )
    if (!reply.endsConversation) return
    await connection.write({ account: account.id }, async (query) => {
      const row = requireValue(await findConversationById(query, conversation.id))
      await deps.endConversation?.(query, row, await clock.now(query))
    })
  }

  return {
    /**
     * Stores a customer's message, which opens or extends the 24-hour window, and schedules the answer. A word to opt out
     * or in blocks or unblocks the customer. @throws Failure when the sender has no assistant
     */
    async receive(
      inbound: InboundMessage,
    ): Promise<{ readonly conversation: ConversationRow; readonly message: number }> {
      const received = await connection.write({ account: inbound.sender.account_id }, async (query) => {
        const now = await clock.now(query)
        const consequence = await applyOptOutReply(query, deps, { phone: inbound.from, text: inbound.text }, now)
        const assistant = await findSenderAssistant(query, inbound.sender)
        // An opt-out counts although no assistant reads the message.
        if (assistant === undefined) return undefined
        const conversation = await openConversation(query, inbound, assistant, now)
        const said = [{ role: 'user' as const, content: inbound.text }]
        const account = inbound.sender.account_id
        const [message] = await appendMessages(query, {
          conversation: conversation.id,
          messages: said,
          cost: 0,
          windowUntil: now + day,
          now,
        })
        await updateConversation(query, conversation.id, { last_customer_message_at: now })
        const { confirmation, isAnswered, suspectedWord } = consequence
        if (confirmation !== undefined)
          await sendService(deps).storeConfirmation(query, conversation, confirmation, now)
        if (suspectedWord !== undefined)
          await recordSuspectedOptOut(
            query,
            { phone: inbound.from, word: suspectedWord, conversation: conversation.uuid },
            now,
          )
        if (isAnswered) await scheduleJob(query, { account, kind: answerJobKind, subject: String(message), at: now })
        return { conversation, message: requireValue(message) }
      })
      if (!received) throw new Failure('messaging.no_assistant')
      return received
    },

    /** Scheduled job: answers a customer once. */
    async answer({ account_id: account, subject }: JobRow): Promise<void> {
      await generateAnswer(account, Number(subject))
      await connection.write({ rows: account }, (query) => unscheduleJob(query, answerJobKind, subject))
    },
  }
}
