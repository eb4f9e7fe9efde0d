import type { Insertable, Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { SenderRow } from './senders.ts'
import type { MessageTemplateTable } from './tables.ts'

export type TemplateRow = Selectable<MessageTemplateTable>

/** Returns the templates of a sender (default: of every status). */
export const listTemplates = (query: AccountQuery, sender: SenderRow, status?: string): Promise<TemplateRow[]> =>
  query
    .selectFrom('message_template')
    .selectAll()
    .where('account_id', '=', sender.account_id)
    .where('sender_id', '=', sender.id)
    .$if(status !== undefined, (it) => it.where('status', '=', status as string))
    .orderBy('id')
    .execute()

/** Returns a template of a sender. */
export const findTemplate = (query: AccountQuery, sender: SenderRow, id: number): Promise<TemplateRow | undefined> =>
  query
    .selectFrom('message_template')
    .selectAll()
    .where('account_id', '=', sender.account_id)
    .where('sender_id', '=', sender.id)
    .where('id', '=', id)
    .executeTakeFirst()

/** Inserts a template. */
export const insertTemplate = (query: AccountQuery, template: Insertable<MessageTemplateTable>): Promise<TemplateRow> =>
  query.insertInto('message_template').values(template).returningAll().executeTakeFirstOrThrow()

/** Sets the status of a template on the channel, in one language. */
export async function setTemplateStatus(
  query: AccountQuery,
  sender: number,
  { name, language, status }: Pick<TemplateRow, 'name' | 'language' | 'status'>,
): Promise<void> {
  await query
    .updateTable('message_template')
    .set({ status, is_synced: 1 })
    .where('sender_id', '=', sender)
    .where('name', '=', name)
    .where('language', '=', language)
    .execute()
}
