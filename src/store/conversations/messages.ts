import type { Insertable, Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import { scheduleInactivityEnd } from './inactivity-timeout.ts'
import type { MessageTable } from './tables.ts'

export type MessageRow = Selectable<MessageTable>

/** A message on its way into a conversation. */
export interface NewMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** Functions that ran for it, as JSON. */
  readonly functionCalls?: string | null
  /** Key of the request that brought it. */
  readonly idempotencyKey?: string | undefined
}

interface AppendOptions {
  readonly account: number
  readonly conversation: number
  readonly messages: readonly NewMessage[]
  readonly cost: number
  /** When these open the 24-hour window anew, its end. */
  readonly windowUntil?: number
  readonly now: number
}

/**
 * Adds messages to a conversation, in order and with nothing between them, and what they cost; answers their ids. A conversation that had
 * ended goes on. Its row is taken first: whoever adds to it at the same time waits.
 */
export async function appendMessages(
  query: Query,
  { account, conversation, messages, cost, windowUntil, now }: AppendOptions,
): Promise<number[]> {
  const row = await query
    .updateTable('conversation')
    .set((it) => ({
      message_count: it('message_count', '+', messages.length),
      total_cost: it('total_cost', '+', cost),
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
      account_id: account,
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

/** Everything said in a conversation, oldest first. */
export const listMessages = (query: Query, conversation: number): Promise<MessageRow[]> =>
  query.selectFrom('message').selectAll().where('conversation_id', '=', conversation).orderBy('id').execute()

/** The last messages of a conversation, oldest first. */
export const lastMessages = async (query: Query, conversation: number, limit: number): Promise<MessageRow[]> =>
  (
    await query
      .selectFrom('message')
      .selectAll()
      .where('conversation_id', '=', conversation)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  ).reverse()

/** The message a request under this key has brought since a moment; keys older than that are forgotten. */
export const findMessageByKey = (
  query: Query,
  account: number,
  key: string,
  since: number,
): Promise<MessageRow | undefined> =>
  query
    .selectFrom('message')
    .selectAll()
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst()

/** Frees a key that was used before a moment. */
export async function releaseMessageKey(query: Query, account: number, key: string, before: number): Promise<void> {
  await query
    .updateTable('message')
    .set({ idempotency_key: null })
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', before)
    .execute()
}

/** What was said right after a message. */
export const findNextMessage = (
  query: Query,
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

export const findMessage = (query: Query, id: number): Promise<MessageRow | undefined> =>
  query.selectFrom('message').selectAll().where('id', '=', id).executeTakeFirst()

/** Adds one message as it is, without what appending changes of its conversation. Returns its id. */
export const insertMessage = async (query: Query, message: Insertable<MessageTable>): Promise<number> =>
  (await query.insertInto('message').values(message).returning('id').executeTakeFirstOrThrow()).id
