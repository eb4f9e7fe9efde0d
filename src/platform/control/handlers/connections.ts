import { type AccountConnection, connections } from '../../../contract/control/connections.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { connectionService } from '../../services/automations/ports/connection-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ConnectionRow } from '../../store/automations/account-connections.ts'
import { requireAccount } from './require-account.ts'

/** Returns the endpoints of the resource with their handlers. */
export const connectionResource = (deps: Deps): LoadedResource => loadedResource(connections, connectionHandlers(deps))

/** Creates the handlers of the control API for connections. */
function connectionHandlers(deps: Deps): HandlersOf<typeof connections> {
  const service = connectionService(deps)
  return {
    async list({ account }) {
      await requireAccount(deps.connection.read, account)
      return { data: (await service.list(account)).map(toWire) }
    },
    async add({ account, ...draft }) {
      await requireAccount(deps.connection.read, account)
      return { message: 'Connection created successfully.', data: toWire(await service.add(account, draft)) }
    },
    async remove({ account, id }) {
      await requireAccount(deps.connection.read, account)
      await service.remove(account, id)
      return { message: 'Connection deleted successfully.' }
    },
    async break({ account, id }) {
      await requireAccount(deps.connection.read, account)
      return { message: 'Connection marked as expired.', data: toWire(await service.break(account, id)) }
    },
  }
}

const toWire = ({ id, kind, name, status, created_at, updated_at }: ConnectionRow): AccountConnection => ({
  id,
  kind,
  name,
  status,
  created_at: toIsoMicros(created_at),
  updated_at: toIsoMicros(updated_at),
})
