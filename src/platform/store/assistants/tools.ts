import type { Insertable, Selectable, Updateable } from 'kysely'
import { compiledQuery, compiledUpdate } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import { detachToolFromAssistants } from './assistants.ts'
import type { ToolTable } from './tables.ts'

export type ToolRow = Selectable<ToolTable>

/** Returns the tools of an account in the order of ids. */
export const listTools: (query: AccountQuery) => Promise<ToolRow[]> = compiledQuery((query) =>
  query.selectFrom('tool').selectAll().where('account_id', '=', query.account).orderBy('id'),
)

const toolByIdQuery = compiledQuery(
  (query: AccountQuery, id: number) =>
    query.selectFrom('tool').selectAll().where('account_id', '=', query.account).where('id', '=', id),
  { isSingleRow: true },
)

/** Returns a tool of an account. */
export const findTool = async (query: AccountQuery, id: number): Promise<ToolRow | undefined> =>
  (await toolByIdQuery(query, id))[0]

/** Inserts a tool. */
export const insertTool = (query: AccountQuery, tool: Insertable<ToolTable>): Promise<ToolRow> =>
  query.insertInto('tool').values(tool).returningAll().executeTakeFirstOrThrow()

const runToolUpdate = compiledUpdate('tool', ['account_id', 'id'])

/** Updates a tool of an account. Returns undefined if there is none. */
export const updateTool = (
  query: AccountQuery,
  id: number,
  change: Updateable<ToolTable>,
): Promise<ToolRow | undefined> => runToolUpdate(query, [query.account, id], change)

/** Deletes a tool and removes it from all assistants. Returns false if it does not exist. */
export async function deleteTool(query: AccountQuery, id: number): Promise<boolean> {
  await detachToolFromAssistants(query, id)
  const { numDeletedRows } = await query
    .deleteFrom('tool')
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the ids of the tools of an assistant, in order. */
export const listToolIds = async (query: AccountQuery, assistant: number): Promise<number[]> =>
  (
    await query
      .selectFrom('assistant_tool')
      .select('tool_id')
      .where('assistant_id', '=', assistant)
      .orderBy('position')
      .execute()
  ).map((it) => it.tool_id)

/** Returns whether an assistant has any tool. */
export const hasTools = async (query: AccountQuery, assistant: number): Promise<boolean> =>
  (await query
    .selectFrom('assistant_tool')
    .select('tool_id')
    .where('assistant_id', '=', assistant)
    .limit(1)
    .executeTakeFirst()) !== undefined
