import { type ApiKey, type KeyRestrictions, keys } from '../../../contract/resources/keys.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { apiKeyService, type KeyState } from '../../services/runtime/api-keys.ts'
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
    scopes: async (_, { account }) => ({ data: (await service.scopes(account.id)).map(toRestrictions) }),
    async create({ name, ...request }, { account, key }) {
      const { row, token } = await service.create(account.id, name, request, key)
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

const toRestrictions = ({ id, scope, nouns, budget, expiresAt, isExpired }: KeyState): KeyRestrictions => ({
  id,
  scope,
  nouns: nouns && [...nouns],
  budget: budget && {
    amount: fromMillionths(budget.amount),
    period: budget.period,
    left: fromMillionths(budget.left),
    renews_at: toIsoMicros(budget.renewsAt),
  },
  expires_at: expiresAt === null ? null : toIsoMicros(expiresAt),
  is_expired: isExpired,
})

const toWire = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  last_used_at: row.last_used_at === null ? null : toIsoMicros(row.last_used_at),
  created_at: toIsoMicros(row.created_at),
})
