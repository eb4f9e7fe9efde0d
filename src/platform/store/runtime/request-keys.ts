import type { Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { Tables } from '../database/tables.ts'

/** Tables whose rows have the idempotency key of the request that created them. */
export const keyedTables = ['purchase', 'channel_message', 'message', 'phone_call', 'sms_message'] as const
export type KeyedTable = (typeof keyedTables)[number]

/** Returns what a request under an idempotency key created at or after `since`. Older keys have expired. */
export const findByRequestKey = <T extends KeyedTable>(
  query: Query,
  table: T,
  account: number,
  key: string,
  since: number,
): Promise<Selectable<Tables[T]> | undefined> =>
  query
    .selectFrom(table as KeyedTable)
    .selectAll()
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst() as Promise<Selectable<Tables[T]> | undefined>

/** Releases an idempotency key that was used before a time. */
export async function releaseRequestKey(
  query: Query,
  table: KeyedTable,
  account: number,
  key: string,
  before: number,
): Promise<void> {
  await query
    .updateTable(table)
    .set({ idempotency_key: null })
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', before)
    .execute()
}
