import { randomUUID } from 'node:crypto'
import { Failure, invalidSelection } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { fillVariables, type Variables } from '../../../engine/tools/assistant-variables.ts'
import { stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { type AssistantRow, findAssistant, findAssistantByUuid } from '../../store/assistants/assistants.ts'
import {
  type ConversationRow,
  findAssistantOwner,
  insertConversation,
  type ListedConversation,
  listConversations,
  setAiEnabled,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { appendMessages, listMessages, type MessageRow } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findSender, type SenderRow } from '../../store/messaging/senders.ts'
import { isAffordable } from '../billing/ledger.ts'
import type { Deps } from '../runtime/deps.ts'
import { deterministicUuid } from '../runtime/deterministic-uuid.ts'
import type { RestrictedKey } from '../runtime/key-access.ts'
import { assistantVariables, messagePrice, parsePersona } from './chat-turns.ts'
import { publishConversationStarted } from './conversation-events.ts'
import { findConversationByUuid, findOwnerByUuid } from './find-conversation.ts'

/** Filters of a list of conversations. Dates are whole UTC days, both inclusive. */
export interface ConversationQuery {
  readonly type?: ConversationRow['type'] | undefined
  readonly assistant_id?: number | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
}

/** A conversation with its messages. */
export interface ConversationDetails {
  readonly conversation: ConversationRow
  readonly messages: readonly MessageRow[]
  readonly sender: SenderRow | undefined
}

/** Returns the days since 1970-01-01 of a date. Dates centuries away are limited to a fixed range. */
const toDayNumber = (date: string): number => Math.max(-1, Math.min(100_000, Date.parse(date) / 86_400_000))

/** Returns the range of two dates, both inclusive, in days since 1970-01-01. */
export const toDayRange = ({
  date_from,
  date_to,
}: Pick<ConversationQuery, 'date_from' | 'date_to'>): { fromDay?: number; toDay?: number } => ({
  ...(date_from !== undefined && { fromDay: Math.max(0, toDayNumber(date_from)) }),
  ...(date_to !== undefined && { toDay: toDayNumber(date_to) }),
})

/**
 * Creates an empty conversation of an assistant. Returns undefined when an open one with the same identifier exists.
 */
export async function createConversation(
  query: AccountQuery,
  { secret, isSeeded, accountIds }: Pick<Deps, 'secret' | 'isSeeded' | 'accountIds'>,
  assistant: AssistantRow,
  opening: {
    readonly type: 'widget' | 'test' | 'api'
    readonly identifier?: string
    readonly variables: Variables
    readonly now: Micros
  },
): Promise<ConversationRow | undefined> {
  const row = await insertConversation(query, {
    account_id: assistant.account_id,
    uuid: isSeeded() ? randomUUID() : accountIds.newUuid(assistant.account_id),
    assistant_id: assistant.id,
    type: opening.type,
    status: 'open',
    sender_id: null,
    customer_phone: null,
    customer_name: null,
    external_identifier: opening.identifier ?? null,
    variables: stringifyJson(opening.variables),
    message_count: 0,
    total_cost: 0,
    ai_enabled: 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: opening.now,
    updated_at: opening.now,
  })
  if (!row) return undefined
  // A seeded platform must produce the same UUIDs again, so the UUID is derived from the id, which is known only now.
  const uuid = isSeeded() ? deterministicUuid(secret(`conversation ${row.id}`, 40)) : row.uuid
  if (uuid !== row.uuid) await updateConversation(query, row.id, { uuid })
  const created = { ...row, uuid }
  await publishConversationStarted(query, created, assistant, opening.now)
  return created
}

/**
 * Lists the conversations of an account, and creates and reads single ones by their UUID, which serves as credential of
 * chats (sections 4.8, 4.9).
 */
export function conversationService(deps: Deps) {
  const { connection, clock } = deps

  return {
    /**
     * Returns one page of conversations. `page` counts from 1; a page beyond the last is empty. @throws Failure 422 for
     * an unknown assistant
     */
    async list(
      account: number,
      query: ConversationQuery,
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ rows: ListedConversation[]; total: number }> {
      const { type, assistant_id } = query
      if (assistant_id !== undefined && !(await findAssistant(accountQuery(connection.read, account), assistant_id)))
        throw invalidSelection('assistant_id')
      return listConversations(accountQuery(connection.read, account), {
        account,
        filters: { assistant_id, type },
        ...toDayRange(query),
        offset: (page - 1) * perPage,
        limit: perPage,
      })
    },

    /**
     * Creates a chat of an account that starts with the assistant's initial message. @throws Failure 404 for an unknown
     * assistant, 400 when the owner's balance does not cover one message
     */
    create: (
      account: number,
      uuid: string,
      type: 'widget' | 'test',
      variables: Variables,
      key?: RestrictedKey,
    ): Promise<{ conversation: ConversationRow; messages: MessageRow[] }> =>
      connection.write({ account }, async (query) => {
        const assistant = await findAssistantByUuid(query, uuid)
        const owner = await findAccount(query, account)
        if (!assistant || !owner) throw new Failure('conversations.assistant_not_found')
        if (type === 'widget' && !isAffordable(owner, messagePrice))
          throw new Failure('conversations.insufficient_balance')
        const now = await clock.now(query)
        const created = requireValue(await createConversation(query, deps, assistant, { type, variables, now }))
        const conversation = { ...created, key_id: key?.id ?? null }
        if (key) await updateConversation(query, created.id, { key_id: key.id })
        const greeting = fillVariables(
          parsePersona(assistant).initial_message ?? '',
          assistantVariables(assistant, variables, now),
        )
        const said = greeting === '' ? [] : [{ role: 'assistant' as const, content: greeting }]
        await appendMessages(query, { conversation: conversation.id, messages: said, cost: 0, now })
        return { conversation, messages: await listMessages(query, conversation.id) }
      }),

    /** Returns a conversation. @throws Failure 404 */
    async get(uuid: string): Promise<ConversationDetails> {
      const conversation = await findConversationByUuid(deps, uuid)
      if (!conversation) throw new Failure('conversations.not_found')
      const { account_id, sender_id } = conversation
      const read = accountQuery(connection.read, account_id)
      return {
        conversation,
        messages: await listMessages(read, conversation.id),
        sender: sender_id === null ? undefined : await findSender(read, sender_id),
      }
    },

    /**
     * Enables or disables replies. While they are disabled, messages are stored and not answered. @throws Failure 404
     */
    async setAiEnabled(account: number, uuid: string, isEnabled: boolean): Promise<void> {
      if (!(await connection.write({ account }, (query) => setAiEnabled(query, uuid, isEnabled))))
        throw new Failure('conversations.not_found')
    },

    /** Returns the account that owns the conversation or assistant of a request without an API key. */
    owner: ({
      uuid,
      assistant_id,
    }: {
      readonly uuid?: string
      readonly assistant_id?: string
    }): Promise<AccountRow | undefined> =>
      uuid === undefined ? findAssistantOwner(connection, assistant_id ?? '') : findOwnerByUuid(deps, uuid),
  }
}
