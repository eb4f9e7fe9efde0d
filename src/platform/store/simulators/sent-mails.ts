import type { Query } from '../database/connection.ts'
import type { LocalMailTable } from './tables.ts'

/** Returns the last emails of an account, newest first. */
export const listMails = (query: Query, account: number, limit: number): Promise<LocalMailTable[]> =>
  query
    .selectFrom('local_mail')
    .selectAll()
    .where('owner', '=', account)
    .orderBy('at', 'desc')
    .orderBy('key', 'desc')
    .limit(limit)
    .execute()
