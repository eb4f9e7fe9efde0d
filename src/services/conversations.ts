import { randomUUID } from 'node:crypto'
import { Failure, invalidField } from '../contract/errors.ts'
import type { Micros } from '../events/clock.ts'
import type { AccountRow } from '../store/accounts.ts'
import { type AssistantRow, findAssistant, findAssistantByUuid } from '../store/assistants.ts'
import type { Query } from '../store/connection.ts'
import {
  type ConversationRow,
  changeConversation,
  findConversation,
  insertConversation,
  type ListedConversation,
  listConversations,
  ownerOfAssistant,
  ownerOfConversation,
  setAnswering,
} from '../store/conversations.ts'
import { appendMessages, listMessages, type MessageRow } from '../store/messages.ts'
import { findSender, type SenderRow } from '../store/senders.ts'
import { announceStart } from './conversation-events.ts'
import type { Deps } from './deps.ts'
import { isAffordable } from './ledger.ts'
import { messagePrice, personaOf, variablesIn } from './turns.ts'
import { uuidOf } from './uuid.ts'
import { fillVariables, type Variables } from './variables.ts'

/** Filters as callers give them; days are whole UTC days, both inclusive. */
export interface ConversationQuery {
  readonly type?: ConversationRow['type'] | undefined
  readonly assistant_id?: number | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
}

/** A conversation with what was said in it. */
export interface Told {
  readonly conversation: ConversationRow
  readonly messages: readonly MessageRow[]
  readonly sender: SenderRow | undefined
}

/** Days since 1970 of a date; those that are centuries away are as good as any. */
const dayOf = (date: string): number => Math.max(-1, Math.min(100_000, Date.parse(date) / 86_400_000))

/** The span of whole days that two dates name, as days since 1970. */
export const daysOf = ({ date_from, date_to }: Pick<ConversationQuery, 'date_from' | 'date_to'>): { fromDay?: number; toDay?: number } => ({
  ...(date_from !== undefined && { fromDay: Math.max(0, dayOf(date_from)) }),
  ...(date_to !== undefined && { toDay: dayOf(date_to) }),
})

/** An empty conversation of an assistant; undefined when an open one with the same identifier is there. */
export async function begin(
  query: Query,
  { secret }: Pick<Deps, 'secret'>,
  assistant: AssistantRow,
  it: { readonly type: 'widget' | 'test' | 'api'; readonly identifier?: string; readonly variables: Variables; readonly now: Micros },
): Promise<ConversationRow | undefined> {
  const row = await insertConversation(query, {
    account_id: assistant.account_id,
    uuid: randomUUID(),
    assistant_id: assistant.id,
    type: it.type,
    status: 'open',
    sender_id: null,
    customer_phone: null,
    customer_name: null,
    external_identifier: it.identifier ?? null,
    variables: JSON.stringify(it.variables),
    message_count: 0,
    total_cost: 0,
    ai_enabled: 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: it.now,
    updated_at: it.now,
  })
  if (!row) return undefined
  // A seeded platform gives the same UUIDs again, and only the id tells which one is due.
  const uuid = uuidOf(secret(`conversation ${row.id}`, 40))
  await changeConversation(query, row.id, { uuid })
  const begun = { ...row, uuid }
  await announceStart(query, begun, assistant, it.now)
  return begun
}

/** Conversations: the list of an account, and single ones by their UUID, which is all that chats need (sections 4.8, 4.9). */
export function conversationService(deps: Deps) {
  const { connection, clock } = deps

  return {
    /** `page` counts from 1; beyond the last one there is nothing. @throws Failure 422 for an assistant that is not the account's */
    async list(
      account: number,
      query: ConversationQuery,
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ rows: ListedConversation[]; total: number }> {
      const { type, assistant_id } = query
      if (assistant_id !== undefined && !(await findAssistant(connection.read, account, assistant_id)))
        throw invalidField('assistant_id', 'The selected assistant id is invalid.')
      return listConversations(connection.read, { account, filters: { assistant_id, type }, ...daysOf(query), offset: (page - 1) * perPage, limit: perPage })
    },

    /** Begins a chat with what the assistant says first. @throws Failure 404 for an unknown assistant, 400 when its owner cannot pay a message */
    create: (uuid: string, type: 'widget' | 'test', variables: Variables): Promise<{ conversation: ConversationRow; messages: MessageRow[] }> =>
      connection.write(async (query) => {
        const assistant = await findAssistantByUuid(query, uuid)
        const owner = await ownerOfAssistant(query, uuid)
        if (!assistant || !owner) throw new Failure('conversations.assistant_not_found')
        if (type === 'widget' && !isAffordable(owner, messagePrice)) throw new Failure('conversations.insufficient_balance')
        const now = await clock.now(query)
        const conversation = (await begin(query, deps, assistant, { type, variables, now })) as ConversationRow
        const greeting = fillVariables(personaOf(assistant).initial_message, variablesIn(assistant, variables, now))
        const said = greeting === '' ? [] : [{ role: 'assistant' as const, content: greeting }]
        await appendMessages(query, { account: owner.id, conversation: conversation.id, said, cost: 0, now })
        return { conversation, messages: await listMessages(query, conversation.id) }
      }),

    /** @throws Failure 404 */
    async get(uuid: string): Promise<Told> {
      const conversation = await findConversation(connection.read, uuid)
      if (!conversation) throw new Failure('conversations.not_found')
      const { account_id, sender_id } = conversation
      return {
        conversation,
        messages: await listMessages(connection.read, conversation.id),
        sender: sender_id === null ? undefined : await findSender(connection.read, account_id, sender_id),
      }
    },

    /** While it is off, messages are kept and not answered. @throws Failure 404 */
    async setAnswering(account: number, uuid: string, isOn: boolean): Promise<void> {
      if (!(await connection.write((query) => setAnswering(query, account, uuid, isOn)))) throw new Failure('conversations.not_found')
    },

    /** Whose conversation or assistant a request without a key is about. */
    owner: ({ uuid, assistant_id }: { readonly uuid?: string; readonly assistant_id?: string }): Promise<AccountRow | undefined> =>
      uuid === undefined ? ownerOfAssistant(connection.read, assistant_id ?? '') : ownerOfConversation(connection.read, uuid),
  }
}
