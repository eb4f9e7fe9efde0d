import { Failure } from '../../../contract/errors/failures.ts'
import { stringifyJson } from '../../../node/json.ts'
import { deleteTool, findTool, insertTool, listTools, type ToolRow, updateTool } from '../../store/assistants/tools.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { Deps } from '../runtime/deps.ts'
import { openToolFields, sealToolFields } from './sealed-tool-fields.ts'

/** The input for a new tool: the fields of section 4.2, under the names of the columns. */
export interface ToolDraft {
  readonly name: string
  readonly description: string
  readonly endpoint: string
  readonly method: string
  readonly body_format: string
  readonly timeout: number
  readonly headers: readonly object[]
  readonly static_fields: readonly object[]
  readonly schema: readonly object[]
}

/**
 * Returns the columns of the given fields. Lists are stored as JSON text and are replaced, never merged (section 4.2).
 */
const toColumns = (draft: Partial<ToolDraft>) => ({
  ...(draft.name !== undefined && { name: draft.name }),
  ...(draft.description !== undefined && { description: draft.description }),
  ...(draft.endpoint !== undefined && { endpoint: draft.endpoint }),
  ...(draft.method !== undefined && { method: draft.method }),
  ...(draft.body_format !== undefined && { body_format: draft.body_format }),
  ...(draft.timeout !== undefined && { timeout: draft.timeout }),
  ...(draft.headers && { headers: stringifyJson(draft.headers) }),
  ...(draft.static_fields && { static_fields: stringifyJson(draft.static_fields) }),
  ...(draft.schema && { schema: stringifyJson(draft.schema) }),
})

const requireTool = (row: ToolRow | undefined): ToolRow => {
  if (!row) throw new Failure('tools.not_found')
  return row
}

/** Lists, creates, changes and deletes tools. */
export function toolService({ connection, clock, vault }: Pick<Deps, 'connection' | 'clock' | 'vault'>) {
  return {
    list: async (account: number): Promise<ToolRow[]> =>
      (await listTools(accountQuery(connection.read, account))).map((it) => openToolFields(vault, it)),

    get: async (account: number, id: number): Promise<ToolRow> =>
      openToolFields(vault, requireTool(await findTool(accountQuery(connection.read, account), id))),

    /** Returns the type of a tool; undefined if there is none with this id. */
    typeOf: async (account: number, id: number): Promise<ToolRow['type'] | undefined> =>
      Number.isSafeInteger(id) ? (await findTool(accountQuery(connection.read, account), id))?.type : undefined,

    create: (account: number, draft: ToolDraft): Promise<ToolRow> =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const columns = sealToolFields(vault, account, toColumns(draft) as Required<ReturnType<typeof toColumns>>)
        const row = await insertTool(query, {
          ...columns,
          account_id: account,
          type: 'http',
          automation_id: null,
          created_at: now,
          updated_at: now,
        } as Parameters<typeof insertTool>[1])
        return openToolFields(vault, row)
      }),

    /**
     * Changes only the given fields. A tool that is linked to an automation does not change its endpoint, method and
     * body format (section 2.2).
     */
    update: (account: number, id: number, draft: Partial<ToolDraft>): Promise<ToolRow> =>
      connection.write({ account }, async (query) => {
        const tool = requireTool(await findTool(query, id))
        const { endpoint, method, body_format, ...rest } = sealToolFields(vault, account, toColumns(draft))
        const requestFields = {
          ...(endpoint !== undefined && { endpoint }),
          ...(method !== undefined && { method }),
          ...(body_format !== undefined && { body_format }),
        }
        const change = tool.type === 'automation' ? rest : { ...rest, ...requestFields }
        const row = await updateTool(query, id, { ...change, updated_at: await clock.now(query) })
        return openToolFields(vault, requireTool(row))
      }),

    /** Deletes a tool and removes it from all assistants, also from those in use: the command line asks before. */
    async delete(account: number, id: number): Promise<void> {
      if (!(await connection.write({ account }, (query) => deleteTool(query, id)))) throw new Failure('tools.not_found')
    },
  }
}
