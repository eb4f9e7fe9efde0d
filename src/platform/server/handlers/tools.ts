import { type Tool, tools } from '../../../contract/resources/tools.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type ToolDraft, toolService } from '../../services/assistants/tool-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ToolRow } from '../../store/assistants/tools.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const toolResource = (deps: Deps): LoadedResource => ({
  ...loadedResource(tools, toolHandlers(deps)),
  storedCondition: storedToolType(deps),
})

/** Creates the handlers of tools. */
function toolHandlers(deps: Deps): HandlersOf<typeof tools> {
  const service = toolService(deps)
  return {
    list: async (_, { account }) => (await service.list(account.id)).map(toWire),
    get: async ({ id }, { account }) => toWire(await service.get(account.id, id)),
    create: async (draft, { account }) => ({
      message: 'Tool created successfully',
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...draft }, { account }) => ({
      message: 'Tool updated successfully',
      data: toWire(await service.update(account.id, id, draft as Partial<ToolDraft>)),
    }),
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Tool deleted successfully' }
    },
  }
}

/** Returns the type of the tool that an update names. */
const storedToolType =
  (deps: Deps): NonNullable<LoadedResource['storedCondition']> =>
  (account, { id }) =>
    toolService(deps).typeOf(account, Number(id))

const toWire = (row: ToolRow): Tool => ({
  id: row.id,
  name: row.name,
  description: row.description,
  type: row.type,
  endpoint: row.endpoint,
  method: row.method as Tool['method'],
  body_format: row.body_format as Tool['body_format'],
  timeout: row.timeout,
  headers: parseJson(row.headers),
  static_fields: parseJson(row.static_fields),
  schema: parseJson(row.schema),
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})
