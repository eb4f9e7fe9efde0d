import { type Insertable, type Selectable, sql } from 'kysely'
import type { Channel } from '../campaigns/tables.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { ContactTables } from './tables.ts'

export type BlockedContactRow = Selectable<ContactTables['blocked_contact']>

/** A number and the channel over which it is contacted. */
export type ContactAddress = Pick<BlockedContactRow, 'phone_number' | 'channel'>

/** Filters of the list of blocked contacts. */
export interface BlockedContactFilters {
  readonly channel?: Channel | undefined
  /** The beginning of a number in E.164. */
  readonly phonePrefix?: string | undefined
  /** Only these numbers. */
  readonly phones?: readonly string[] | undefined
}

/** Adds blocks with one statement. Returns those that did not exist. */
export const insertBlockedContacts = (
  query: AccountQuery,
  rows: readonly Insertable<ContactTables['blocked_contact']>[],
): Promise<ContactAddress[]> =>
  query
    .insertInto('blocked_contact')
    .values(rows)
    .onConflict((it) => it.columns(['account_id', 'phone_number', 'channel']).doNothing())
    .returning(['phone_number', 'channel'])
    .execute()

/** Removes the blocks of some numbers on a channel. Returns the removed rows. */
export const deleteBlockedContacts = (
  query: AccountQuery,
  channel: Channel,
  phones: readonly string[],
): Promise<BlockedContactRow[]> =>
  query
    .deleteFrom('blocked_contact')
    .where('account_id', '=', query.account)
    .where('phone_number', 'in', phones)
    .where('channel', '=', channel)
    .returningAll()
    .execute()

const findBlockQuery = compiledQuery(
  (query: AccountQuery, phone: string, channel: Channel) =>
    query
      .selectFrom('blocked_contact')
      .selectAll()
      .where('account_id', '=', query.account)
      .where('phone_number', '=', phone)
      .where('channel', '=', channel),
  { isSingleRow: true },
)

/** Returns the blocks of some numbers on a channel. */
export const listBlocksOf = (
  query: AccountQuery,
  channel: Channel,
  phones: readonly string[],
): Promise<BlockedContactRow[]> => {
  const [phone] = phones
  if (phone === undefined) return Promise.resolve([])
  // One statement that is compiled once, for the many sends to one number.
  if (phones.length === 1) return findBlockQuery(query, phone, channel)
  return query
    .selectFrom('blocked_contact')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('phone_number', 'in', phones)
    .where('channel', '=', channel)
    .execute()
}

const filteredContacts = (query: AccountQuery, { channel, phonePrefix, phones }: BlockedContactFilters) =>
  query
    .selectFrom('blocked_contact')
    .where('account_id', '=', query.account)
    .$if(channel !== undefined, (it) => it.where('channel', '=', channel as Channel))
    .$if(phones !== undefined, (it) => it.where('phone_number', 'in', phones as readonly string[]))
    .$if(phonePrefix !== undefined, (some) =>
      some.where('phone_number', '>=', phonePrefix as string).where('phone_number', '<', `${phonePrefix}:`),
    )

/** Returns one page of blocked contacts by number, and the total. */
export async function listBlockedContacts(
  query: AccountQuery,
  filters: BlockedContactFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: BlockedContactRow[]; readonly total: number }> {
  const items = await filteredContacts(query, filters)
    .selectAll()
    .orderBy('phone_number')
    .orderBy('channel')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { n } = await filteredContacts(query, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}

/** Tables with sends by channel, the column with their recipient, and the state in which they wait for their provider. */
export const sends = {
  messaging: { table: 'channel_message', recipient: 'recipient_phone', state: 'sending' },
  sms: { table: 'sms_message', recipient: 'recipient', state: 'sending' },
  call: { table: 'phone_call', recipient: 'client_phone_number', state: 'dialling' },
} as const satisfies Record<Channel, unknown>

/** A send that was handed over to a provider, and of which a request may still start. */
export interface OpenHandOver {
  readonly channel: Channel
  readonly id: number
}

/** Returns the sends to some numbers on a channel of which a request may still start, handed over at or after a time. */
export async function listOpenHandOvers(
  query: AccountQuery,
  channel: Channel,
  phones: readonly string[],
  since: number,
): Promise<OpenHandOver[]> {
  const { table, recipient } = sends[channel]
  const rows = await query
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', query.account)
    .where(recipient, 'in', phones)
    .where('open_hand_overs', '>', 0)
    .where('handed_over_at', '>=', since)
    .execute()
  return rows.map(({ id }) => ({ channel, id }))
}

/** Returns those of some sends of which a request may still start. */
export async function filterOpen(query: AccountQuery, open: readonly OpenHandOver[]): Promise<OpenHandOver[]> {
  const found: OpenHandOver[] = []
  for (const channel of new Set(open.map((it) => it.channel))) {
    const ids = open.filter((it) => it.channel === channel).map((it) => it.id)
    const rows = await query
      .selectFrom(sends[channel].table)
      .select('id')
      .where('id', 'in', ids)
      .where('open_hand_overs', '>', 0)
      .execute()
    found.push(...rows.map(({ id }) => ({ channel, id })))
  }
  return found
}

/** The columns of a send that is stored with a permission to start its request. */
export const handedOverAt = (at: number) => ({ handed_over_at: at, open_hand_overs: 1 })

/** Marks a send as handed over, at a time in milliseconds. Returns false if it has an outcome already. */
export async function markHandedOver(query: AccountQuery, { channel, id }: OpenHandOver, at: number): Promise<boolean> {
  const { table, state } = sends[channel]
  const marked = query
    .updateTable(table)
    .set({ handed_over_at: at, open_hand_overs: sql<number>`coalesce(open_hand_overs, 0) + 1` })
    .where('id', '=', id)
    .where('state', '=', state)
  return (await marked.executeTakeFirst()).numUpdatedRows > 0n
}

/** Ends one permission to start a request of a send: it was started, or the permission was not used in time. */
export async function releaseHandOver(query: AccountQuery, { channel, id }: OpenHandOver): Promise<void> {
  await query
    .updateTable(sends[channel].table)
    .set({ open_hand_overs: sql<number>`open_hand_overs - 1` })
    .where('id', '=', id)
    .where('open_hand_overs', '>', 0)
    .execute()
}
