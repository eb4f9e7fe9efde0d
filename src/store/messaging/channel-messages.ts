import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ChannelMessageTable } from '../assistants/tables.ts'
import type { Query } from '../database/connection.ts'

export type ChannelMessageRow = Selectable<ChannelMessageTable>

export const insertChannelMessage = (
  query: Query,
  message: Insertable<ChannelMessageTable>,
): Promise<ChannelMessageRow> =>
  query.insertInto('channel_message').values(message).returningAll().executeTakeFirstOrThrow()

export const findChannelMessage = (query: Query, id: number): Promise<ChannelMessageRow | undefined> =>
  query.selectFrom('channel_message').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the message that a caller sent under an idempotency key at or after `since`. Older keys have expired. */
export const findSendByKey = (
  query: Query,
  account: number,
  key: string,
  since: number,
): Promise<ChannelMessageRow | undefined> =>
  query
    .selectFrom('channel_message')
    .selectAll()
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst()

/** Releases an idempotency key that was used before a time. */
export async function releaseSendKey(query: Query, account: number, key: string, before: number): Promise<void> {
  await query
    .updateTable('channel_message')
    .set({ idempotency_key: null })
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', before)
    .execute()
}

/** Ends a message that is being sent; returns undefined if another process ended it first. */
export const completeSend = (
  query: Query,
  id: number,
  change: Updateable<ChannelMessageTable>,
): Promise<ChannelMessageRow | undefined> =>
  query
    .updateTable('channel_message')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .returningAll()
    .executeTakeFirst()

/** Returns how many other recipients a sender has sent a template to since a time. Rejected messages do not count. */
export async function countRecipients(
  query: Query,
  sender: number,
  since: number,
  exceptPhone: string,
): Promise<number> {
  const { n } = await query
    .selectFrom('channel_message')
    .select((it) => it.fn.count<number>('recipient_phone').distinct().as('n'))
    .where('sender_id', '=', sender)
    .where('created_at', '>', since)
    .where('state', '!=', 'failed')
    .where('template_id', 'is not', null)
    .where('recipient_phone', '!=', exceptPhone)
    .executeTakeFirstOrThrow()
  return Number(n)
}
