import type { Insertable, Selectable } from 'kysely'
import { findAssistant } from '../assistants/assistants.ts'
import type { MessageTemplateTable, SenderTable } from '../assistants/tables.ts'
import type { Query } from '../database/connection.ts'

export type SenderRow = Selectable<SenderTable>
export type TemplateRow = Selectable<MessageTemplateTable>

/** Returns the senders of an account (default: of every status). */
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

/** Returns the templates of a sender (default: of every status). */
export const listTemplates = (query: Query, sender: SenderRow, status?: string): Promise<TemplateRow[]> =>
  query
    .selectFrom('message_template')
    .selectAll()
    .where('account_id', '=', sender.account_id)
    .where('sender_id', '=', sender.id)
    .$if(status !== undefined, (it) => it.where('status', '=', status as string))
    .orderBy('id')
    .execute()

export const findTemplate = (query: Query, sender: SenderRow, id: number): Promise<TemplateRow | undefined> =>
  query
    .selectFrom('message_template')
    .selectAll()
    .where('account_id', '=', sender.account_id)
    .where('sender_id', '=', sender.id)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns the id of the assistant that replies for a sender, if it still exists. */
export async function findSenderAssistant(query: Query, sender: SenderRow): Promise<number | undefined> {
  if (sender.assistant_id === null) return undefined
  return (await findAssistant(query, sender.account_id, sender.assistant_id))?.id
}

export const insertSender = (query: Query, sender: Insertable<SenderTable>): Promise<SenderRow> =>
  query.insertInto('sender').values(sender).returningAll().executeTakeFirstOrThrow()

export const insertTemplate = (query: Query, template: Insertable<MessageTemplateTable>): Promise<TemplateRow> =>
  query.insertInto('message_template').values(template).returningAll().executeTakeFirstOrThrow()
