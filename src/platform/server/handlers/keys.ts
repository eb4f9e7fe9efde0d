import { type ApiKey, keys } from '../../../contract/resources/keys.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { apiKeyService } from '../../services/runtime/api-keys.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ApiKeyRow } from '../../store/accounts/accounts.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const keyResource = (deps: Deps): LoadedResource => loadedResource(keys, keyHandlers(deps))

/** Creates the handlers of API keys. */
function keyHandlers(deps: Deps): HandlersOf<typeof keys> {
  const service = apiKeyService(deps)
  return {
    list: async (_, { account }) => ({ api_keys: (await service.list(account.id)).map(toWire) }),
    async create({ name }, { account }) {
      const { row, token } = await service.create(account.id, name)
      return {
        message: 'API key created successfully.',
        api_key: { name: row.name, token, created_at: toIsoMicros(row.created_at) },
      }
    },
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'API key deleted successfully.' }
    },
  }
}

const toWire = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  last_used_at: row.last_used_at === null ? null : toIsoMicros(row.last_used_at),
  created_at: toIsoMicros(row.created_at),
})
