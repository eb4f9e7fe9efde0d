import type { LocalMailTable } from './connected-tables.ts'
import type { Query } from './connection.ts'

/** The last mails of an account, newest first. */
export const listMails = (query: Query, account: number, limit: number): Promise<LocalMailTable[]> =>
  query.selectFrom('local_mail').selectAll().where('owner', '=', account).orderBy('at', 'desc').orderBy('key', 'desc').limit(limit).execute()
