import type { AccountConnection, connections } from '../contract/connections.ts'
import { Failure } from '../contract/errors.ts'
import { toIsoMicros } from '../events/clock.ts'
import type { HandlersOf } from '../server/handler.ts'
import { connectionService } from '../services/automations/connections.ts'
import type { Deps } from '../services/deps.ts'
import { findAccount } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'

export function connectionHandlers(deps: Deps): HandlersOf<typeof connections> {
  const service = connectionService(deps)
  async function requireAccount(account: number): Promise<void> {
    if (!(await findAccount(deps.connection.read, account))) throw new Failure('accounts.not_found')
  }
  return {
    async list({ account }) {
      await requireAccount(account)
      return { data: (await service.list(account)).map(toWire) }
    },
    async add({ account, ...draft }) {
      await requireAccount(account)
      return { message: 'Connection added successfully.', data: toWire(await service.add(account, draft)) }
    },
    async remove({ account, id }) {
      await requireAccount(account)
      await service.remove(account, id)
      return { message: 'Connection removed successfully.' }
    },
    async break({ account, id }) {
      await requireAccount(account)
      return { message: 'Connection broken successfully.', data: toWire(await service.break(account, id)) }
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
