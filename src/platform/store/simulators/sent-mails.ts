import type { AccountQuery } from '../database/connection.ts'
import type { LocalMailTable } from './tables.ts'

/** Returns the last emails of an account, newest first. */
export const listMails = (query: AccountQuery, limit: number): Promise<LocalMailTable[]> =>
  query
    .selectFrom('local_mail')
    .selectAll()
    .where('owner', '=', query.account)
    .orderBy('at', 'desc')
    .orderBy('key', 'desc')
    .limit(limit)
    .execute()
