import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { SmsMessageTable } from './tables.ts'

export type SmsRow = Selectable<SmsMessageTable>

/** Inserts an SMS. */
export const insertSms = (query: Query, sms: Insertable<SmsMessageTable>): Promise<SmsRow> =>
  query.insertInto('sms_message').values(sms).returningAll().executeTakeFirstOrThrow()

/** Returns an SMS by id. */
export const findSms = (query: Query, id: number): Promise<SmsRow | undefined> =>
  query.selectFrom('sms_message').selectAll().where('id', '=', id).executeTakeFirst()

/** Ends an SMS that is being sent; returns undefined if another process ended it first. */
export const completeSms = (
  query: Query,
  id: number,
  change: Updateable<SmsMessageTable>,
): Promise<SmsRow | undefined> =>
  query
    .updateTable('sms_message')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .returningAll()
    .executeTakeFirst()
