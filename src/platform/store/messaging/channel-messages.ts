// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { ChannelMessageTable, SmsMessageTable } from './tables.ts'

export type ChannelMessageRow = Selectable<ChannelMessageTable>

/** Inserts a channel message. */
export const insertChannelMessage = (
  query: AccountQuery,
  message: Insertable<ChannelMessageTable>,
): Promise<ChannelMessageRow> =>
  query.insertInto('channel_message').values(message).returningAll().executeTakeFirstOrThrow()

/** Returns a channel message by id. */
export const findChannelMessage = (query: AccountQuery, id: number): Promise<ChannelMessageRow | undefined> =>
  query.selectFrom('channel_message').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the ids of the conversation messages that an account sent under some idempotency keys. */
export const listMessageIdsByKeys = async (query: AccountQuery, keys: readonly string[]): Promise<(number | null)[]> =>
  (
    await query
      .selectFrom('channel_message')
      .select('message_id')
      .where('account_id', '=', query.account)
      .where('idempotency_key', 'in', keys)
      .execute()
  ).map((it) => it.message_id)

/** Ends a message that is being sent; returns undefined if another process ended it first. */
export const completeSend = (
  query: AccountQuery,
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
  query: AccountQuery,
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

/** Returns the media sent in a conversation, oldest first. */
export const listAttachments = async (
  query: AccountQuery,
  conversation: number,
): Promise<{ readonly url: string; readonly filename: string | null }[]> =>
  (
    await query
      .selectFrom('channel_message')
      .select(['media_url', 'filename'])
      .where('conversation_id', '=', conversation)
      .where('media_url', 'is not', null)
      .orderBy('id')
      .execute()
  ).map(({ media_url, filename }) => ({ url: media_url as string, filename }))

/** Sets the delivery status of a channel message. */
export async function setDeliveryStatus(query: AccountQuery, id: number, status: string, now: number): Promise<void> {
  await query
    .updateTable('channel_message')
    .set({ delivery_status: status, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** Stores the id of the conversation message that corresponds to a channel message. */
export async function setConversationMessage(
  query: AccountQuery,
  id: number,
  message: number | undefined,
): Promise<void> {
  await query.updateTable('channel_message').set({ message_id: message }).where('id', '=', id).execute()
}

/** Returns a message by the id that the channel assigned. */
export const findChannelMessageBySid = (query: AccountQuery, sid: string): Promise<ChannelMessageRow | undefined> =>
  query
    .selectFrom('channel_message')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('message_sid', '=', sid)
    .executeTakeFirst()

/** Returns the id that the channel assigned to the last accepted message of an account. */
export const findLatestSid = async (query: AccountQuery): Promise<string | undefined> =>
  (
    await query
      .selectFrom('channel_message')
      .select('message_sid')
      .where('account_id', '=', query.account)
      .where('message_sid', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.message_sid ?? undefined

interface SentMessageFilters {
  readonly sender?: number | undefined
  readonly template?: number | undefined
  readonly recipient?: string | undefined
  /** Delivery status, or `sending` until the channel has answered. */
  readonly status?: string | undefined
  /** Only messages of `from` or later, and before `before`, in microseconds. */
  readonly from?: number | undefined
  readonly before?: number | undefined
}

const filteredMessages = (
  query: AccountQuery,
  { sender, template, recipient, status, from, before }: SentMessageFilters,
) =>
  query
    .selectFrom('channel_message')
    .where('account_id', '=', query.account)
    .$if(sender !== undefined, (it) => it.where('sender_id', '=', sender as number))
    .$if(template !== undefined, (it) => it.where('template_id', '=', template as number))
    .$if(recipient !== undefined, (it) => it.where('recipient_phone', '=', recipient as string))
    .$if(status === 'sending', (it) => it.where('state', '=', 'sending'))
    // Literals, as the conditions of the indexes.
    .$if(status === 'failed', (query) =>
      query.where((or) =>
        or.or([or('state', '=', sql.lit<'failed'>('failed')), or('delivery_status', '=', sql.lit('failed'))]),
      ),
    )
    .$if(status !== undefined && status !== 'sending' && status !== 'failed', (query) =>
      query.where('state', '=', sql.lit<'sent'>('sent')).where('delivery_status', '=', status as string),
    )
    .$if(from !== undefined, (it) => it.where('created_at', '>=', from as number))
    .$if(before !== undefined, (it) => it.where('created_at', '<', before as number))

/** Returns one page of the messages that an account has sent, newest first, and the total. */
export async function listSentMessages(
  query: AccountQuery,
  filters: SentMessageFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: ChannelMessageRow[]; readonly total: number }> {
  const items = await filteredMessages(query, filters)
    .selectAll()
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { n } = await filteredMessages(query, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}

export type SmsRow = Selectable<SmsMessageTable>

/** Inserts an SMS. */
export const insertSms = (query: AccountQuery, sms: Insertable<SmsMessageTable>): Promise<SmsRow> =>
  query.insertInto('sms_message').values(sms).returningAll().executeTakeFirstOrThrow()

/** Returns an SMS by id. */
export const findSms = (query: AccountQuery, id: number): Promise<SmsRow | undefined> =>
  query.selectFrom('sms_message').selectAll().where('id', '=', id).executeTakeFirst()

/** Ends an SMS that is being sent; returns undefined if another process ended it first. */
export const completeSms = (
  query: AccountQuery,
  id: number,
  change: Updateable<SmsMessageTable>,
): Promise<SmsRow | undefined> =>
  query
    .updateTable('sms_message')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .returningAll()
    .executeTakeFirst()
