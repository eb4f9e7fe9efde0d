import type { Insertable, Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import { scheduleInactivityEnd } from './conversations.ts'
import type { MessageTable } from './tables.ts'

export type MessageRow = Selectable<MessageTable>

/** Message to add to a conversation. */
export interface NewMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** Functions that ran for it, as JSON. */
  readonly functionCalls?: string | null
  /** Idempotency key of the request that added it. */
  readonly idempotencyKey?: string | undefined
}

interface AppendOptions {
  readonly conversation: number
  readonly messages: readonly NewMessage[]
  readonly cost: number
  /** New end of the 24-hour window, if these messages reopen it. */
  readonly windowUntil?: number
  readonly now: number
}

/**
 * Adds consecutive messages to a conversation with their cost, and returns their ids. A conversation that had ended is
 * reopened. The conversation row is updated first, so that concurrent additions wait.
 */
export async function appendMessages(
  query: AccountQuery,
  { conversation, messages, cost, windowUntil, now }: AppendOptions,
): Promise<number[]> {
  const row = await query
    .updateTable('conversation')
    .set((builder) => ({
      message_count: builder('message_count', '+', messages.length),
      total_cost: builder('total_cost', '+', cost),
      updated_at: now,
      status: 'open',
      ...(windowUntil !== undefined && { window_until: windowUntil }),
    }))
    .where('id', '=', conversation)
    .returning(['id', 'account_id', 'assistant_id', 'type'])
    .executeTakeFirst()
  if (row) await scheduleInactivityEnd(query, row, now)
  const ids: number[] = []
  for (const { role, content, functionCalls = null, idempotencyKey = null } of messages) {
    const row = {
      account_id: query.account,
      conversation_id: conversation,
      role,
      content,
      function_calls: functionCalls,
      idempotency_key: idempotencyKey,
      created_at: now,
    }
    ids.push(await insertMessage(query, row))
  }
  return ids
}

/** Stores the functions that the assistant called for a message, as JSON. */
export const setFunctionCalls = async (query: AccountQuery, id: number, calls: string): Promise<void> =>
  void (await query.updateTable('message').set({ function_calls: calls }).where('id', '=', id).execute())

/** Returns all messages of a conversation, oldest first. */
export const listMessages = (query: AccountQuery, conversation: number): Promise<MessageRow[]> =>
  query.selectFrom('message').selectAll().where('conversation_id', '=', conversation).orderBy('id').execute()

/** Returns the last messages of a conversation, oldest first. */
export const lastMessages = async (query: AccountQuery, conversation: number, limit: number): Promise<MessageRow[]> =>
  (
    await query
      .selectFrom('message')
      .selectAll()
      .where('conversation_id', '=', conversation)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  ).reverse()

/** Returns the message that follows a message. */
export const findNextMessage = (
  query: AccountQuery,
  { conversation_id, id }: Pick<MessageRow, 'conversation_id' | 'id'>,
): Promise<MessageRow | undefined> =>
  query
    .selectFrom('message')
    .selectAll()
    .where('conversation_id', '=', conversation_id)
    .where('id', '>', id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Returns the messages that follow a message, oldest first, at most `limit`. */
export const listNextMessages = (
  query: AccountQuery,
  { conversation_id, id }: Pick<MessageRow, 'conversation_id' | 'id'>,
  limit: number,
): Promise<Pick<MessageRow, 'id' | 'role'>[]> =>
  query
    .selectFrom('message')
    .select(['id', 'role'])
    .where('conversation_id', '=', conversation_id)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns the last messages of the customer before a message, at most `limit`. */
export const listEarlierUserMessages = (
  query: AccountQuery,
  { conversation_id, id }: Pick<MessageRow, 'conversation_id' | 'id'>,
  limit: number,
): Promise<Pick<MessageRow, 'id' | 'created_at'>[]> =>
  query
    .selectFrom('message')
    .select(['id', 'created_at'])
    .where('conversation_id', '=', conversation_id)
    .where('id', '<', id)
    .where('role', '=', 'user')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns a message by id. */
export const findMessage = (query: AccountQuery, id: number): Promise<MessageRow | undefined> =>
  query.selectFrom('message').selectAll().where('id', '=', id).executeTakeFirst()

/** Inserts one message without updating its conversation. Returns its id. */
export const insertMessage = async (query: AccountQuery, message: Insertable<MessageTable>): Promise<number> =>
  (await query.insertInto('message').values(message).returning('id').executeTakeFirstOrThrow()).id
