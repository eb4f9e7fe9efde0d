import type { Query } from '../database/connection.ts'
import type { ConversationRow } from './conversations.ts'

/** Conversation of a sender and a recipient with a 24-hour window. Times in microseconds. */
export interface MessagingWindow extends Pick<ConversationRow, 'id' | 'customer_name' | 'last_customer_message_at'> {
  readonly sender_id: number
  readonly customer_phone: string
  readonly window_until: number
}

export interface WindowFilters {
  readonly sender?: number | undefined
  /** Which windows: those that are open or closed at the time `now`, or all. */
  readonly status: 'open' | 'closed' | 'all'
  readonly now: number
}

const filteredWindows = (query: Query, account: number, { sender, status, now }: WindowFilters) =>
  query
    .selectFrom('conversation')
    .where('account_id', '=', account)
    .where('type', '=', 'messaging')
    .where('window_until', 'is not', null)
    .$if(status !== 'all', (it) => it.where('window_until', status === 'open' ? '>' : '<=', now))
    .$if(sender !== undefined, (it) => it.where('sender_id', '=', sender as number))

/** Returns one page of windows, the most recently opened first, and the total. A recipient has one for each sender. */
export async function listWindows(
  query: Query,
  account: number,
  filters: WindowFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: MessagingWindow[]; readonly total: number }> {
  const items = await filteredWindows(query, account, filters)
    .select(['id', 'sender_id', 'customer_phone', 'customer_name', 'last_customer_message_at', 'window_until'])
    .orderBy('window_until', 'desc')
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .$castTo<MessagingWindow>()
    .execute()
  const { n } = await filteredWindows(query, account, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}
