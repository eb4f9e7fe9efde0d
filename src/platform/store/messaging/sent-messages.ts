import type { Query } from '../database/connection.ts'
import type { ChannelMessageRow } from './channel-messages.ts'

export interface SentMessageFilters {
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
  query: Query,
  account: number,
  { sender, template, recipient, status, from, before }: SentMessageFilters,
) =>
  query
    .selectFrom('channel_message')
    .where('account_id', '=', account)
    .$if(sender !== undefined, (it) => it.where('sender_id', '=', sender as number))
    .$if(template !== undefined, (it) => it.where('template_id', '=', template as number))
    .$if(recipient !== undefined, (it) => it.where('recipient_phone', '=', recipient as string))
    .$if(status === 'sending', (it) => it.where('state', '=', 'sending'))
    .$if(status === 'failed', (it) =>
      it.where((or) => or.or([or('state', '=', 'failed'), or('delivery_status', '=', 'failed')])),
    )
    .$if(status !== undefined && status !== 'sending' && status !== 'failed', (it) =>
      it.where('state', '=', 'sent').where('delivery_status', '=', status as string),
    )
    .$if(from !== undefined, (it) => it.where('created_at', '>=', from as number))
    .$if(before !== undefined, (it) => it.where('created_at', '<', before as number))

/** Returns one page of the messages that an account has sent, newest first, and the total. */
export async function listSentMessages(
  query: Query,
  account: number,
  filters: SentMessageFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: ChannelMessageRow[]; readonly total: number }> {
  const items = await filteredMessages(query, account, filters)
    .selectAll()
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { n } = await filteredMessages(query, account, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}
