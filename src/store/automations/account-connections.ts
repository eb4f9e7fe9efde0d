import type { Insertable, Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { AutomationConnectionTable } from './tables.ts'

export type ConnectionRow = Selectable<AutomationConnectionTable>

/** In the order they were made. */
export const listConnections = (query: Query, account: number): Promise<ConnectionRow[]> =>
  query.selectFrom('automation_connection').selectAll().where('account_id', '=', account).orderBy('id').execute()

/** By the name it was given, else the first one of that kind. */
export async function findConnection(query: Query, account: number, name: string): Promise<ConnectionRow | undefined> {
  const all = query.selectFrom('automation_connection').selectAll().where('account_id', '=', account)
  return (
    (await all.where('name', '=', name).executeTakeFirst()) ??
    (await all.where('kind', '=', name).orderBy('status').orderBy('id').executeTakeFirst())
  )
}

export const insertConnection = (query: Query, row: Insertable<AutomationConnectionTable>): Promise<ConnectionRow> =>
  query.insertInto('automation_connection').values(row).returningAll().executeTakeFirstOrThrow()

/** Gives a connection a new secret, which makes it work again. */
export async function renewConnection(
  query: Query,
  id: number,
  change: Pick<ConnectionRow, 'secret' | 'status' | 'updated_at'>,
): Promise<void> {
  await query.updateTable('automation_connection').set(change).where('id', '=', id).execute()
}

/** Undefined when the account has none of that id. */
export const setConnectionStatus = (
  query: Query,
  account: number,
  id: number,
  status: ConnectionRow['status'],
  now: number,
): Promise<ConnectionRow | undefined> =>
  query
    .updateTable('automation_connection')
    .set({ status, updated_at: now })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export async function deleteConnection(query: Query, account: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom('automation_connection')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
