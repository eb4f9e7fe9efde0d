import type { Insertable, Selectable, Updateable } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { Query } from '../database/connection.ts'
import type { ToolTable } from '../database/tables.ts'
import { detachToolFromAssistants } from './assistant-references.ts'

export type ToolRow = Selectable<ToolTable>

export const listTools = (query: Query, account: number): Promise<ToolRow[]> =>
  query.selectFrom('tool').selectAll().where('account_id', '=', account).orderBy('id').execute()

const toolByIdQuery = compiledQuery((query, account: number, id: number) =>
  query.selectFrom('tool').selectAll().where('account_id', '=', account).where('id', '=', id),
)

export const findTool = async (query: Query, account: number, id: number): Promise<ToolRow | undefined> =>
  (await toolByIdQuery(query, account, id))[0]

export const insertTool = (query: Query, tool: Insertable<ToolTable>): Promise<ToolRow> =>
  query.insertInto('tool').values(tool).returningAll().executeTakeFirstOrThrow()

export const updateTool = (
  query: Query,
  account: number,
  id: number,
  change: Updateable<ToolTable>,
): Promise<ToolRow | undefined> =>
  query
    .updateTable('tool')
    .set(change)
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes a tool and removes it from all assistants. Returns false if it does not exist. */
export async function deleteTool(query: Query, account: number, id: number): Promise<boolean> {
  await detachToolFromAssistants(query, account, id)
  const { numDeletedRows } = await query
    .deleteFrom('tool')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
