import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { events, type PlatformEvent } from '../../../contract/control/events.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import {
  assistantEventSample,
  assistantEventService,
} from '../../services/automations/triggers/assistant-event-service.ts'
import { recordEvent } from '../../services/deliveries/notify-webhook.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import { listEvents, type OutboxRow } from '../../store/deliveries/outbox.ts'

/** Returns the endpoints of the resource with their handlers. */
export const eventResource = (deps: Deps): LoadedResource => loadedResource(events, eventHandlers(deps))

/** Creates the handlers of the control API for events. */
export function eventHandlers(deps: Deps): HandlersOf<typeof events> {
  const service = assistantEventService(deps)
  return {
    async list({ account, kind, after, limit }) {
      const rows = await listEvents(deps.connection.read, { account, kind, after, limit })
      return { data: rows.map(toWire) }
    },

    async listen({ account, kind, after, limit }) {
      if (!(await findAccount(deps.connection.read, account))) throw new Failure('accounts.not_found')
      const rows = await listEvents(deps.connection.read, { account, kind, after, limit })
      const port = await deps.events()
      const data = await Promise.all(
        rows.map(async (row) => ({ id: row.id, kind: row.kind, ...(await port.sign(row)) })),
      )
      return { data, last: rows.at(-1)?.id ?? after ?? 0 }
    },

    async fire({ account, assistant_id: assistant, kind, payload, key }) {
      if (!(await findAccount(deps.connection.read, account))) throw new Failure('accounts.not_found')
      const { holder, target, run, variables } = await service.raise({ account, assistant, kind, payload, key })
      if (holder === null) await recordUnreceived(deps, { account, assistant, kind, payload })
      const message = run !== null ? 'The event started a run.' : holderMessages[holder ?? 'none']
      return { message, data: { kind, assistant_id: assistant, holder, target, run_id: run, variables } }
    },
  }
}

interface RaisedEvent {
  readonly account: number
  readonly assistant: number
  readonly kind: SlotEvent
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

/** Records an event without a receiver for `events listen`, with a sample payload if it has none. */
async function recordUnreceived(deps: Deps, { account, assistant: id, kind, payload }: RaisedEvent): Promise<void> {
  const assistant = await findAssistant(deps.connection.read, account, id)
  if (!assistant) return
  const sample = payload ?? assistantEventSample(kind, assistant, await deps.clock.now())
  await recordEvent(deps, { account, event: kind, payload: sample })
}

const holderMessages = {
  none: 'No automation or webhook receives this event.',
  automation: 'The event did not start a run.',
  webhook: 'The event was queued for the webhook.',
}

const toWire = ({ id, account_id, kind, subject, payload, created_at, handled_at }: OutboxRow): PlatformEvent => ({
  id,
  account_id,
  kind,
  subject,
  payload: parseJson(payload),
  created_at: toIsoMicros(created_at),
  handled: handled_at !== null,
})
