import { type SentSms, sms } from '../../../contract/resources/sms.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type SentSmsMessage, smsService } from '../../services/messaging/sms-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const smsResource = (deps: Deps): LoadedResource => loadedResource(sms, smsHandlers(deps))

/** Creates the handlers of SMS. */
function smsHandlers(deps: Deps): HandlersOf<typeof sms> {
  const service = smsService(deps)
  return {
    send: async ({ from, to, body, now }, { account, idempotencyKey }) => ({
      message: 'SMS sent successfully',
      data: toWire(await service.send(account, { from, to, body }, idempotencyKey, now ? 'starts' : 'waits')),
    }),
  }
}

const toWire = (row: SentSmsMessage): SentSms => ({
  id: row.id,
  phone_number_id: row.number_id,
  to: row.recipient,
  body: row.body,
  user_id: row.account_id,
  segments: row.segments,
  segment_price: fromMillionths(row.segment_price),
  total_cost: fromMillionths(row.cost),
  status: row.delivery_status,
  sms_sid: row.sms_sid,
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})
