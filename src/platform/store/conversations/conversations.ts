import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountRow } from '../accounts/accounts.ts'
import { conversationList } from '../counters/counted-lists.ts'
import { createPageReader } from '../counters/counted-pages.ts'
import type { Query } from '../database/connection.ts'
import type { ConversationTable } from './tables.ts'

export type ConversationRow = Selectable<ConversationTable>
/** Conversation as a list shows it: with UUID and name of its assistant. */
export type ListedConversation = ConversationRow & { readonly assistant_uuid: string; readonly assistant_name: string }

/** Returns a conversation by UUID in any account: chats are addressed without any other identification. */
export const findConversation = (query: Query, uuid: string): Promise<ConversationRow | undefined> =>
  query.selectFrom('conversation').selectAll().where('uuid', '=', uuid.toLowerCase()).executeTakeFirst()

/** Returns the open API conversation of an assistant with an identifier. */
export const findOpenApiConversation = (
  query: Query,
  assistant: number,
  identifier: string,
): Promise<ConversationRow | undefined> =>
  query
    .selectFrom('conversation')
    .selectAll()
    .where('assistant_id', '=', assistant)
    .where('external_identifier', '=', identifier)
    .where('type', '=', 'api')
    .where('status', '=', 'open')
    .executeTakeFirst()

/** Inserts a conversation. Returns undefined if an equivalent open one exists. */
export const insertConversation = (
  query: Query,
  conversation: Insertable<ConversationTable>,
): Promise<ConversationRow | undefined> =>
  query
    .insertInto('conversation')
    .values(conversation)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Updates a conversation. */
export async function updateConversation(
  query: Query,
  id: number,
  change: Updateable<ConversationTable>,
): Promise<void> {
  await query.updateTable('conversation').set(change).where('id', '=', id).execute()
}

/** Turns AI replies on or off. Returns false if the account has no such conversation. */
export async function setAiEnabled(query: Query, account: number, uuid: string, isEnabled: boolean): Promise<boolean> {
  const change = { ai_enabled: isEnabled ? 1 : 0 }
  const { numUpdatedRows } = await query
    .updateTable('conversation')
    .set(change)
    .where('account_id', '=', account)
    .where('uuid', '=', uuid.toLowerCase())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns a page of conversations, newest first, and the total. */
export const listConversations = createPageReader<ListedConversation>(conversationList)

/** Returns the account that owns a conversation. */
export const findConversationOwner = (query: Query, uuid: string): Promise<AccountRow | undefined> =>
  query
    .selectFrom('account')
    .innerJoin('conversation', 'conversation.account_id', 'account.id')
    .selectAll('account')
    .where('conversation.uuid', '=', uuid.toLowerCase())
    .executeTakeFirst()

/** Returns the account that owns an assistant, unless the assistant was deleted. */
export const findAssistantOwner = (query: Query, uuid: string): Promise<AccountRow | undefined> =>
  query
    .selectFrom('account')
    .innerJoin('assistant', 'assistant.account_id', 'account.id')
    .selectAll('account')
    .where('assistant.uuid', '=', uuid.toLowerCase())
    .where('assistant.deleted_at', 'is', null)
    .executeTakeFirst()

/** Returns a conversation of any account by id. */
export const findConversationById = (query: Query, id: number): Promise<ConversationRow | undefined> =>
  query.selectFrom('conversation').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the UUID of an existing conversation. */
export const findConversationUuid = async (query: Query, id: number): Promise<string> =>
  (await query.selectFrom('conversation').select('uuid').where('id', '=', id).executeTakeFirstOrThrow()).uuid

/** Returns the UUIDs of a conversation and of its assistant. */
export const findConversationUuids = (
  query: Query,
  id: number,
): Promise<{ readonly uuid: string; readonly assistant_uuid: string } | undefined> =>
  query
    .selectFrom('conversation')
    .innerJoin('assistant', 'assistant.id', 'conversation.assistant_id')
    .select(['conversation.uuid', 'assistant.uuid as assistant_uuid'])
    .where('conversation.id', '=', id)
    .executeTakeFirst()

/** Returns the settings of a conversation's assistant as JSON; undefined if the conversation does not exist. */
export const findConversationSettings = async (query: Query, uuid: string): Promise<string | undefined> =>
  (
    await query
      .selectFrom('conversation')
      .innerJoin('assistant', 'assistant.id', 'conversation.assistant_id')
      .select('assistant.settings')
      .where('conversation.uuid', '=', uuid)
      .executeTakeFirst()
  )?.settings

/** Returns the UUID of the open conversation of an account with the latest message. */
export const findLatestOpenConversation = async (query: Query, account: number): Promise<string | undefined> =>
  (
    await query
      .selectFrom('conversation')
      .select('uuid')
      .where('account_id', '=', account)
      .where('status', '=', 'open')
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.uuid
