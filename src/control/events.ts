import { Failure } from '../contract/errors.ts'
import type { events } from '../contract/events.ts'
import type { HandlersOf } from '../server/handler.ts'
import { eventService } from '../services/automations/events.ts'
import type { Deps } from '../services/deps.ts'
import { findAccount } from '../store/accounts.ts'

export function eventHandlers(deps: Deps): HandlersOf<typeof events> {
  const service = eventService(deps)
  return {
    async fire({ account, assistant_id: assistant, kind, payload, key }) {
      if (!(await findAccount(deps.connection.read, account))) throw new Failure('accounts.not_found')
      const { holder, target, run, variables } = await service.raise({ account, assistant, kind, payload, key })
      const message = run !== null ? 'The event started a run.' : told[holder ?? 'nobody']
      return { message, data: { kind, assistant_id: assistant, holder, target, run_id: run, variables } }
    },
  }
}

const told = { nobody: 'Nobody is told of this event.', automation: 'The event started nothing.', webhook: 'The event goes to the webhook.' }
