import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { events, type PlatformEvent } from '../../../contract/control/events.ts'
import { mails } from '../../../contract/control/mails.ts'
import { type LoggedRequest, requests } from '../../../contract/control/requests.ts'
import { turns } from '../../../contract/control/turns.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { maskPhoneNumbers } from '../../../contract/values/mask-phone-numbers.ts'
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
import { accountQuery } from '../../store/database/account-query.ts'
import { listEvents, type OutboxRow } from '../../store/deliveries/outbox.ts'
import { listMails } from '../../store/simulators/sent-mails.ts'
import { readRequests } from '../data-folder/request-log.ts'

/** Maximum mails in the list. */
const maxMails = 100

/** Returns the endpoints of the resource with their handlers. */
export const mailResource = (deps: Pick<Deps, 'connection'>): LoadedResource =>
  loadedResource(mails, mailHandlers(deps))

/** Creates the handlers of the control API for mails. */
function mailHandlers({ connection }: Pick<Deps, 'connection'>): HandlersOf<typeof mails> {
  return {
    async list({ account }) {
      if (!(await findAccount(connection.read, account))) throw new Failure('accounts.not_found')
      const rows = await listMails(accountQuery(connection.read, account), maxMails)
      return {
        data: rows.map(({ id, server, sender, recipients, subject, body, at }) => ({
          id,
          server,
          from: sender,
          to: parseJson(recipients),
          subject,
          body,
          sent_at: toIsoMicros(at),
        })),
      }
    },
  }
}

const withMaskedNumbers = (request: LoggedRequest): LoggedRequest => ({
  ...request,
  path: maskPhoneNumbers(request.path),
  body: request.body === null ? null : maskPhoneNumbers(request.body),
  answer: maskPhoneNumbers(request.answer),
})

/** Returns the endpoints of the resource with their handlers. */
export const requestResource = (deps: { readonly dataDir: string }): LoadedResource =>
  loadedResource(requests, requestHandlers(deps))

/** Creates the handlers of the control API for the request log. */
const requestHandlers = ({ dataDir }: { readonly dataDir: string }): HandlersOf<typeof requests> => ({
  async list({ method, path, status, unmask, after, limit }) {
    const isWanted = (given: number): boolean =>
      status === undefined || (status.endsWith('xx') ? String(given)[0] === status[0] : String(given) === status)
    const all = readRequests(dataDir).filter(
      (request) =>
        (method === undefined || request.method === method) &&
        (path === undefined || request.path.includes(path)) &&
        isWanted(request.status) &&
        request.id > (after ?? 0),
    )
    const selected = after === undefined ? all.slice(-limit) : all.slice(0, limit)
    return { data: unmask ? selected : selected.map(withMaskedNumbers) }
  },
})

/** Returns the endpoints of the resource with their handlers. */
export const turnResource = (deps: Pick<Deps, 'replyStreams'>): LoadedResource =>
  loadedResource(turns, turnHandlers(deps))

/** Creates the handlers of the control API for replies in progress. */
const turnHandlers = ({ replyStreams }: Pick<Deps, 'replyStreams'>): HandlersOf<typeof turns> => ({
  async follow({ key, after, wait }) {
    const { events, done } = await replyStreams.readEvents(key, after, wait * 1000)
    return {
      events: events.map((event) =>
        event.type === 'text' ? event : { ...event, arguments: { ...event.arguments }, result: { ...event.result } },
      ),
      done,
    }
  },
})

/** Returns the endpoints of the resource with their handlers. */
export const eventResource = (deps: Deps): LoadedResource => loadedResource(events, eventHandlers(deps))

/** Creates the handlers of the control API for events. */
function eventHandlers(deps: Deps): HandlersOf<typeof events> {
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
  const assistant = await findAssistant(accountQuery(deps.connection.read, account), id)
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
