import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { AccountTable } from './tables.ts'

export type AccountRow = Selectable<AccountTable>

/** Inserts an account. */
export const insertAccount = async (query: Query, account: Insertable<AccountTable>): Promise<AccountRow> =>
  query.insertInto('account').values(account).returningAll().executeTakeFirstOrThrow()

/** Returns an account. */
export const findAccount = (query: Query, id: number): Promise<AccountRow | undefined> =>
  query.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns all accounts in the order of ids. */
export const listAccounts = (query: Query): Promise<AccountRow[]> =>
  query.selectFrom('account').selectAll().orderBy('id').execute()

/** Updates an account. */
export const updateAccount = (
  query: Query,
  id: number,
  change: Updateable<AccountTable>,
): Promise<AccountRow | undefined> =>
  query.updateTable('account').set(change).where('id', '=', id).returningAll().executeTakeFirst()
