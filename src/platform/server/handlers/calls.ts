import { type Call, calls } from '../../../contract/resources/calls.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { callService } from '../../services/calls/call-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ListedCall } from '../../store/calls/phone-calls.ts'
import { toPage } from '../http/page-envelope.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const callResource = (deps: Deps): LoadedResource => loadedResource(calls, callHandlers(deps))

/** Creates the handlers of calls. */
function callHandlers(deps: Deps): HandlersOf<typeof calls> {
  const service = callService(deps)
  return {
    async list(input, { account, origin }) {
      const { items, total } = await service.list(account.id, input, { page: input.page, perPage: input.per_page })
      return toPage(items.map(toWire), { total, path: calls.list.path, origin, input })
    },
    get: async ({ id }, { account }) => toWire(await service.get(account.id, id)),
    async start({ phone_number, assistant_id, variables = {}, now }, { account, idempotencyKey }) {
      const draft = { phone: phone_number, assistantId: assistant_id, variables }
      await service.start(account, draft, idempotencyKey, now ? 'starts' : 'waits')
      return { message: 'Call initiated successfully', data: {} }
    },
    stop: async ({ id }, { account }) => ({ data: toWire(await service.stop(account.id, id)) }),
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Call deleted successfully' }
    },
  }
}

const toWire = (row: ListedCall): Call => ({
  id: row.id,
  assistant_name: row.assistant_name,
  campaign_name: row.campaign_name,
  type: row.type,
  duration: row.duration,
  assistant_phone_number: row.assistant_phone_number,
  client_phone_number: row.client_phone_number,
  status: row.status as Call['status'],
  transcript: row.transcript,
  variables: parseJson(row.variables),
  evaluation: row.evaluation === null ? null : parseJson(row.evaluation),
  webhook_response: null,
  carrier_cost: fromMillionths(row.carrier_cost),
  total_cost: fromMillionths(row.total_cost),
  answered_by: row.answered_by,
  recording_url: row.recording_url,
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})
