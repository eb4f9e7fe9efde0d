// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Insertable, Selectable, Updateable } from 'kysely'
import { parseJson } from '../../../node/json.ts'
import type { AccountRow } from '../accounts/accounts.ts'
import { conversationList } from '../counters/counted-lists.ts'
import { createPageReader } from '../counters/counted-pages.ts'
import { findNamed } from '../database/account-names.ts'
import { accountQuery } from '../database/account-query.ts'
import type { AccountQuery, Connection, PlatformQuery, Query } from '../database/connection.ts'
import { deleteJob, insertJob } from '../runtime/scheduled-jobs.ts'
import type { ConversationTable } from './tables.ts'

export type ConversationRow = Selectable<ConversationTable>
/** Conversation as a list shows it: with UUID and name of its assistant. */
export type ListedConversation = ConversationRow & { readonly assistant_uuid: string; readonly assistant_name: string }

/** Returns a conversation by UUID. */
export const findConversation = (query: AccountQuery, uuid: string): Promise<ConversationRow | undefined> =>
  query.selectFrom('conversation').selectAll().where('uuid', '=', uuid.toLowerCase()).executeTakeFirst()

/** Returns a conversation of any account by UUID. */
export const findAnyConversation = (query: PlatformQuery, uuid: string): Promise<ConversationRow | undefined> =>
  query.selectFrom('conversation').selectAll().where('uuid', '=', uuid.toLowerCase()).executeTakeFirst()

/** Returns the open API conversation of an assistant with an identifier. */
export const findOpenApiConversation = (
  query: AccountQuery,
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
  query: AccountQuery,
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
  query: AccountQuery,
  id: number,
  change: Updateable<ConversationTable>,
): Promise<void> {
  await query.updateTable('conversation').set(change).where('id', '=', id).execute()
}

/** Turns AI replies on or off. Returns false if the account has no such conversation. */
export async function setAiEnabled(query: AccountQuery, uuid: string, isEnabled: boolean): Promise<boolean> {
  const change = { ai_enabled: isEnabled ? 1 : 0 }
  const { numUpdatedRows } = await query
    .updateTable('conversation')
    .set(change)
    .where('account_id', '=', query.account)
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
export function findAssistantOwner(
  connection: Pick<Connection, 'read' | 'write'>,
  uuid: string,
): Promise<AccountRow | undefined> {
  const find = (query: Query) =>
    query
      .selectFrom('account')
      .innerJoin('assistant', 'assistant.account_id', 'account.id')
      .selectAll('account')
      .where('assistant.uuid', '=', uuid.toLowerCase())
      .where('assistant.deleted_at', 'is', null)
      .executeTakeFirst()
  return findNamed(connection, 'assistant', uuid.toLowerCase(), { own: find, any: find, accountOf: (it) => it.id })
}

/** Returns a conversation by id. */
export const findConversationById = (query: AccountQuery, id: number): Promise<ConversationRow | undefined> =>
  query.selectFrom('conversation').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the UUID of an existing conversation. */
export const findConversationUuid = async (query: AccountQuery, id: number): Promise<string> =>
  (await query.selectFrom('conversation').select('uuid').where('id', '=', id).executeTakeFirstOrThrow()).uuid

/** Returns the UUIDs of a conversation and of its assistant. */
export const findConversationUuids = (
  query: AccountQuery,
  id: number,
): Promise<{ readonly uuid: string; readonly assistant_uuid: string } | undefined> =>
  query
    .selectFrom('conversation')
    .innerJoin('assistant', 'assistant.id', 'conversation.assistant_id')
    .select(['conversation.uuid', 'assistant.uuid as assistant_uuid'])
    .where('conversation.id', '=', id)
    .executeTakeFirst()

/** Returns the settings of a conversation's assistant as JSON; undefined if the conversation does not exist. */
export const findConversationSettings = async (query: AccountQuery, uuid: string): Promise<string | undefined> =>
  (
    await query
      .selectFrom('conversation')
      .innerJoin('assistant', 'assistant.id', 'conversation.assistant_id')
      .select('assistant.settings')
      .where('conversation.uuid', '=', uuid)
      .executeTakeFirst()
  )?.settings

/** Returns the UUID of the open conversation of an account with the latest message. */
export const findLatestOpenConversation = async (query: AccountQuery): Promise<string | undefined> =>
  (
    await query
      .selectFrom('conversation')
      .select('uuid')
      .where('account_id', '=', query.account)
      .where('status', '=', 'open')
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.uuid

/** Conversation of a sender and a recipient with a 24-hour window. Times in microseconds. */
export interface MessagingWindow extends Pick<ConversationRow, 'id' | 'customer_name' | 'last_customer_message_at'> {
  readonly sender_id: number
  readonly customer_phone: string
  readonly window_until: number
}

/** Conditions of a list of messaging windows; all that are given must hold. */
export interface WindowFilters {
  readonly sender?: number | undefined
  /** Which windows: those that are open or closed at the time `now`, or all. */
  readonly status: 'open' | 'closed' | 'all'
  readonly now: number
}

const filteredWindows = (query: AccountQuery, { sender, status, now }: WindowFilters) =>
  query
    .selectFrom('conversation')
    .where('account_id', '=', query.account)
    .where('type', '=', 'messaging')
    .where('window_until', 'is not', null)
    .$if(status !== 'all', (it) => it.where('window_until', status === 'open' ? '>' : '<=', now))
    .$if(sender !== undefined, (it) => it.where('sender_id', '=', sender as number))

/** Returns one page of windows, the most recently opened first, and the total. A recipient has one for each sender. */
export async function listWindows(
  query: AccountQuery,
  filters: WindowFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: MessagingWindow[]; readonly total: number }> {
  const items = await filteredWindows(query, filters)
    .select(['id', 'sender_id', 'customer_phone', 'customer_name', 'last_customer_message_at', 'window_until'])
    .orderBy('window_until', 'desc')
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .$castTo<MessagingWindow>()
    .execute()
  const { n } = await filteredWindows(query, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}

/** Returns all conversations of a sender with a recipient, latest first. */
export const listRecipientConversations = (
  query: AccountQuery,
  sender: number,
  phone: string,
): Promise<ConversationRow[]> =>
  query
    .selectFrom('conversation')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('sender_id', '=', sender)
    .where('customer_phone', '=', phone)
    .where('type', '=', 'messaging')
    .orderBy('id', 'desc')
    .execute()

/**
 * Returns the conversation of a sender with a recipient, or inserts the given one (section 4.12, rule 2). A given name
 * replaces the stored one.
 */
export async function findOrCreateConversation(
  query: AccountQuery,
  fresh: Insertable<ConversationTable>,
): Promise<ConversationRow> {
  const all = await listRecipientConversations(
    accountQuery(query, fresh.account_id),
    fresh.sender_id as number,
    fresh.customer_phone as string,
  )
  const open = all.find((it) => it.status === 'open') ?? all[0]
  if (!open) return query.insertInto('conversation').values(fresh).returningAll().executeTakeFirstOrThrow()
  if (fresh.customer_name == null || fresh.customer_name === open.customer_name) return open
  await query
    .updateTable('conversation')
    .set({ customer_name: fresh.customer_name })
    .where('id', '=', open.id)
    .execute()
  return open
}

/** Deletes a conversation that was created for a rejected message, unless it has other messages. */
export async function deleteEmptyConversation(query: AccountQuery, conversation: number): Promise<void> {
  const used = await query
    .selectFrom('channel_message')
    .select('id')
    .where('conversation_id', '=', conversation)
    .where('state', '!=', 'failed')
    .limit(1)
    .executeTakeFirst()
  const said = await query
    .selectFrom('message')
    .select('id')
    .where('conversation_id', '=', conversation)
    .limit(1)
    .executeTakeFirst()
  if (used || said) return
  await query
    .updateTable('channel_message')
    .set({ conversation_id: null })
    .where('conversation_id', '=', conversation)
    .execute()
  await query.deleteFrom('conversation').where('id', '=', conversation).execute()
}

/** Kind of the scheduled job that ends an inactive conversation. Its subject is the id of the conversation. Its rows have this name, so it never changes. */
export const inactivityJobKind = 'conversation.silence'

const microsPerMinute = 60_000_000
/** Inactivity timeout, in minutes, of an assistant without this setting: the default that engine-modes.ts of the contract has. */
const defaultTimeoutMinutes = 30

/** Returns the inactivity timeout of an assistant in microseconds; null if it has none. */
export function inactivityTimeoutMicros(settings: string): number | null {
  const { conversation_inactivity_timeout: minutes = defaultTimeoutMinutes } = parseJson(settings) as {
    conversation_inactivity_timeout?: number | null
  }
  return minutes === null ? null : minutes * microsPerMinute
}

/**
 * Returns whether conversations of a type end after inactivity. Test and API conversations are ended by callers. The job that ends a
 * conversation asks again (conversation-events.ts).
 */
export const hasInactivityTimeout = (type: string): boolean => type === 'widget' || type === 'messaging'

/** Restarts the inactivity timeout of a conversation, in the transaction that adds a message. */
export async function scheduleInactivityEnd(
  query: AccountQuery,
  conversation: { id: number; account_id: number; assistant_id: number; type: string },
  now: number,
): Promise<void> {
  if (!hasInactivityTimeout(conversation.type)) return
  const assistant = await query
    .selectFrom('assistant')
    .select('settings')
    .where('id', '=', conversation.assistant_id)
    .executeTakeFirst()
  const timeoutMicros = assistant ? inactivityTimeoutMicros(assistant.settings) : null
  const subject = String(conversation.id)
  if (timeoutMicros === null) return deleteJob(query, inactivityJobKind, subject)
  const { numUpdatedRows } = await query
    .updateTable('due')
    .set({ due_at: now + timeoutMicros, lease_owner: null, lease_until: 0 })
    .where('kind', '=', inactivityJobKind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const due = { account_id: conversation.account_id, kind: inactivityJobKind, subject, due_at: now + timeoutMicros }
  await insertJob(query, { ...due, attempts: 0, lease_owner: null, lease_until: 0 })
}
