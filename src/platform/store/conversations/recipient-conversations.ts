import type { Insertable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { ConversationRow } from './conversations.ts'
import type { ConversationTable } from './tables.ts'

/** Returns all conversations of a sender with a recipient, latest first. */
export const listRecipientConversations = (
  query: Query,
  account: number,
  sender: number,
  phone: string,
): Promise<ConversationRow[]> =>
  query
    .selectFrom('conversation')
    .selectAll()
    .where('account_id', '=', account)
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
  query: Query,
  fresh: Insertable<ConversationTable>,
): Promise<ConversationRow> {
  const all = await listRecipientConversations(
    query,
    fresh.account_id,
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
export async function deleteEmptyConversation(query: Query, conversation: number): Promise<void> {
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
