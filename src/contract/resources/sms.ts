import { resource } from '../endpoint/endpoint.ts'
import { id, isoMicros, messageWithData, outsideHours, visibleText } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** SMS in the response of sending it. */
export const SentSms = z.object({
  id: z.int(),
  phone_number_id: z.int(),
  to: z.string(),
  body: z.string(),
  user_id: z.int(),
  segments: z.int(),
  segment_price: z.number().describe('USD'),
  total_cost: z.number().describe('USD'),
  status: z.string(),
  sms_sid: z.string(),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type SentSms = z.output<typeof SentSms>

export const sms = resource('sms', {
  send: {
    method: 'POST',
    path: '/api/user/sms',
    summary: 'Send an SMS, charged to the balance',
    body: z.object({
      from: id.describe('Id of the number to send from'),
      to: z.string().describe('Number of the recipient, E.164'),
      body: visibleText(300).describe('Text, at most 300 characters'),
      now: outsideHours,
    }),
    status: 201,
    output: messageWithData(SentSms),
    errors: [
      'sms.from_not_found',
      'sms.invalid_to',
      'sms.insufficient_balance',
      'sms.not_capable',
      'contacts.blocked',
      'contacts.waiting',
      'contacts.not_waiting',
      'contacts.never_open',
      'sms.failed',
      'user.stopped',
    ],
    risk: 'spends',
    isMessage: true,
    successProof: { 'data.id': 'id' },
    section: '4.22',
    assumed: 'public deployments',
    record: 'data',
  },
})
