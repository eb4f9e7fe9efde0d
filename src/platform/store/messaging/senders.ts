import type { Insertable, Selectable, Updateable } from 'kysely'
import { findAssistant } from '../assistants/assistants.ts'
import { accountQuery } from '../database/account-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { SenderTable } from './tables.ts'

export type SenderRow = Selectable<SenderTable>
/** Returns the senders of an account (default: of every status). */
export const listSenders = (query: AccountQuery, status?: string): Promise<SenderRow[]> =>
  query
    .selectFrom('sender')
    .selectAll()
    .where('account_id', '=', query.account)
    .$if(status !== undefined, (it) => it.where('status', '=', status as SenderRow['status']))
    .orderBy('id')
    .execute()

/** Returns a sender of an account. */
export const findSender = (query: AccountQuery, id: number): Promise<SenderRow | undefined> =>
  query.selectFrom('sender').selectAll().where('account_id', '=', query.account).where('id', '=', id).executeTakeFirst()

/** A sender with the assistant that answers for it, if there is one. */
export interface AssignedSender extends SenderRow {
  readonly assistant_name: string | null
}

/** Returns the senders of an account with their assistants, or one of them. Deleted assistants are omitted. */
export async function listAssignedSenders(query: AccountQuery, id?: number): Promise<AssignedSender[]> {
  const rows = await query
    .selectFrom('sender')
    .leftJoin('assistant', (join) =>
      join.onRef('assistant.id', '=', 'sender.assistant_id').on('assistant.deleted_at', 'is', null),
    )
    .selectAll('sender')
    .select('assistant.name as assistant_name')
    .where('sender.account_id', '=', query.account)
    .$if(id !== undefined, (it) => it.where('sender.id', '=', id as number))
    .orderBy('sender.id')
    .execute()
  return rows.map((it) => ({ ...it, assistant_id: it.assistant_name === null ? null : it.assistant_id }))
}

/** Returns the id of the assistant that replies for a sender, if it still exists. */
export async function findSenderAssistant(query: AccountQuery, sender: SenderRow): Promise<number | undefined> {
  if (sender.assistant_id === null) return undefined
  return (await findAssistant(accountQuery(query, sender.account_id), sender.assistant_id))?.id
}

/** Inserts a sender. */
export const insertSender = (query: AccountQuery, sender: Insertable<SenderTable>): Promise<SenderRow> =>
  query.insertInto('sender').values(sender).returningAll().executeTakeFirstOrThrow()

/** Returns the URL that receives the delivery status of a sender's messages, and its encrypted secret. */
export const findSenderWebhook = (
  query: AccountQuery,
  id: number,
): Promise<Pick<SenderRow, 'webhook_url' | 'webhook_secret'> | undefined> =>
  query.selectFrom('sender').select(['webhook_url', 'webhook_secret']).where('id', '=', id).executeTakeFirst()

/** Returns the fields of an existing sender that webhooks include. */
export const describeSender = (
  query: AccountQuery,
  id: number,
): Promise<Pick<SenderRow, 'id' | 'phone_number' | 'display_name'>> =>
  query
    .selectFrom('sender')
    .select(['id', 'phone_number', 'display_name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Updates a sender. */
export async function updateSender(query: AccountQuery, id: number, change: Updateable<SenderTable>): Promise<void> {
  await query.updateTable('sender').set(change).where('id', '=', id).execute()
}

/** Removes the webhook of a sender if it still has this URL. */
export async function removeSenderWebhook(query: AccountQuery, id: number, url: string): Promise<void> {
  await query
    .updateTable('sender')
    .set({ webhook_url: null })
    .where('id', '=', id)
    .where('webhook_url', '=', url)
    .execute()
}
