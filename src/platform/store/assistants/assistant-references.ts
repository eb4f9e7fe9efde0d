import type { Query } from '../database/connection.ts'

/** Tables of resources that an assistant may refer to. */
export type ReferencedTable = 'tool' | 'label' | 'folder' | 'knowledge_base' | 'phone_number' | 'assistant'

/** Returns those of the ids that belong to the account. */
export async function findOwnedIds(
  query: Query,
  table: ReferencedTable,
  account: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  // The tables share these columns. Deleted assistants are excluded.
  const own = query
    .selectFrom(table as 'assistant')
    .select('id')
    .where('account_id', '=', account)
    .where('id', 'in', ids)
  const existing = table === 'assistant' ? own.where('deleted_at', 'is', null) : own
  const rows = await existing.execute()
  return new Set(rows.map((it) => it.id))
}

/** Returns the inbound assistant that answers a number, if any. */
export async function findAnsweringAssistant(query: Query, number: number): Promise<number | undefined> {
  const row = await query
    .selectFrom('assistant')
    .select('id')
    .where('phone_number_id', '=', number)
    .where('type', '=', 'inbound')
    .executeTakeFirst()
  return row?.id
}

/** Removes a number from every assistant, before the number is deleted. */
export async function detachNumberFromAssistants(query: Query, account: number, number: number): Promise<void> {
  await query
    .updateTable('assistant')
    .set({ phone_number_id: null })
    .where('account_id', '=', account)
    .where('phone_number_id', '=', number)
    .execute()
}

/** Removes a mid-call tool from every assistant, before the tool is deleted. */
export async function detachToolFromAssistants(query: Query, account: number, tool: number): Promise<void> {
  await query.deleteFrom('assistant_tool').where('account_id', '=', account).where('tool_id', '=', tool).execute()
}
