import type { Insertable, Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { AutomationConnectionTable } from './tables.ts'

export type ConnectionRow = Selectable<AutomationConnectionTable>

/** Returns the connections of an account in the order of creation. */
export const listConnections = (query: AccountQuery): Promise<ConnectionRow[]> =>
  query.selectFrom('automation_connection').selectAll().where('account_id', '=', query.account).orderBy('id').execute()

/** Returns a connection by its name, otherwise the first one of that kind. */
export async function findConnection(query: AccountQuery, name: string): Promise<ConnectionRow | undefined> {
  const all = query.selectFrom('automation_connection').selectAll().where('account_id', '=', query.account)
  return (
    (await all.where('name', '=', name).executeTakeFirst()) ??
    (await all.where('kind', '=', name).orderBy('status').orderBy('id').executeTakeFirst())
  )
}

/** Inserts a connection. */
export const insertConnection = (
  query: AccountQuery,
  row: Insertable<AutomationConnectionTable>,
): Promise<ConnectionRow> =>
  query.insertInto('automation_connection').values(row).returningAll().executeTakeFirstOrThrow()

/** Replaces the secret of a connection, which makes it active again. */
export async function renewConnection(
  query: AccountQuery,
  id: number,
  change: Pick<ConnectionRow, 'secret' | 'status' | 'updated_at'>,
): Promise<void> {
  await query.updateTable('automation_connection').set(change).where('id', '=', id).execute()
}

/** Sets the status of a connection. Returns undefined if the account has no connection with this id. */
export const setConnectionStatus = (
  query: AccountQuery,
  id: number,
  status: ConnectionRow['status'],
  now: number,
): Promise<ConnectionRow | undefined> =>
  query
    .updateTable('automation_connection')
    .set({ status, updated_at: now })
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes a connection. Returns false if the account has no connection with this id. */
export async function deleteConnection(query: AccountQuery, id: number): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom('automation_connection')
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
