import type { Insertable, Selectable } from 'kysely'
import { findAssistant } from '../assistants/assistants.ts'
import type { Query } from '../database/connection.ts'
import type { SenderTable } from './tables.ts'

export type SenderRow = Selectable<SenderTable>
/** The senders of an account; of every status unless one is given. */
export const listSenders = (query: Query, account: number, status?: string): Promise<SenderRow[]> =>
  query
    .selectFrom('sender')
    .selectAll()
    .where('account_id', '=', account)
    .$if(status !== undefined, (it) => it.where('status', '=', status as SenderRow['status']))
    .orderBy('id')
    .execute()

export const findSender = (query: Query, account: number, id: number): Promise<SenderRow | undefined> =>
  query.selectFrom('sender').selectAll().where('account_id', '=', account).where('id', '=', id).executeTakeFirst()

/** Id of the assistant who answers for a sender, when it still exists. */
export async function findSenderAssistant(query: Query, sender: SenderRow): Promise<number | undefined> {
  if (sender.assistant_id === null) return undefined
  return (await findAssistant(query, sender.account_id, sender.assistant_id))?.id
}

export const insertSender = (query: Query, sender: Insertable<SenderTable>): Promise<SenderRow> =>
  query.insertInto('sender').values(sender).returningAll().executeTakeFirstOrThrow()
