import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly, publicDeployments } from '../endpoint/endpoint-origins.ts'
import {
  checkDateOrder,
  dateRange,
  evenIfInvalid,
  givenVariables,
  id,
  isoMicros,
  messageResponse,
  outsideHours,
  pageEnvelope,
  pageParameters,
  variables,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** Directions of a call, and who answered it. Rows of calls and sample data have them. */
export const callTypes = ['inbound', 'outbound', 'web'] as const
export const answerers = ['human', 'machine', 'unknown'] as const

/** Statuses of a call, as the API names them. Rows of calls and payloads of webhooks have them. */
export const callStatuses = [
  'initiated',
  'ringing',
  'busy',
  'in-progress',
  'ended',
  'completed',
  'ended_by_customer',
  'ended_by_assistant',
  'no-answer',
  'failed',
] as const

/** Phone or web call. */
export const Call = z.object({
  id: z.int(),
  assistant_name: z.string().nullable(),
  campaign_name: z.string().nullable(),
  type: z.enum(callTypes),
  duration: z.int().describe('Seconds'),
  assistant_phone_number: z.string().nullable(),
  client_phone_number: z.string().nullable(),
  status: z.enum(callStatuses),
  transcript: z.string().nullable(),
  variables,
  evaluation: z.record(z.string(), z.unknown()).nullable(),
  webhook_response: z.unknown().optional(),
  carrier_cost: z.number().describe('USD'),
  total_cost: z.number().describe('USD'),
  answered_by: z.enum(answerers).nullable(),
  recording_url: z.string().nullable(),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type Call = z.output<typeof Call>

const path = z.object({ id: id.describe('Id of the call') })

export const calls = resource('calls', {
  list: {
    ...publicDeployments,
    method: 'GET',
    path: '/api/user/calls',
    summary: 'List calls',
    query: z
      .object({
        status: z.enum(callStatuses).optional().describe('Status of the call'),
        type: Call.shape.type.optional().describe('Direction of the call'),
        phone_number: z.string().optional().describe('Phone number of the customer'),
        assistant_id: id.optional().describe('Id of the assistant'),
        campaign_id: id.optional().describe('Id of the campaign'),
        ...dateRange,
        ...pageParameters(15),
      })
      .superRefine(checkDateOrder, evenIfInvalid),
    status: 200,
    output: pageEnvelope(Call),
    errors: [],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  get: {
    ...publicDeployments,
    method: 'GET',
    path: '/api/user/calls/{id}',
    summary: 'Show one call',
    params: path,
    status: 200,
    output: Call,
    errors: ['calls.not_found'],
    risk: 'read',
  },
  start: {
    ...publicDeployments,
    method: 'POST',
    path: '/api/user/make_call',
    summary: 'Place a call with an assistant, charged to the balance',
    body: z.object({
      phone_number: z.string().describe('Number to call, E.164'),
      assistant_id: id.describe('Id of the assistant'),
      variables: givenVariables.optional().describe('Variables for the assistant'),
      now: outsideHours,
    }),
    status: 200,
    output: z.object({ message: z.string(), data: z.looseObject({}) }),
    errors: [
      'calls.invalid_phone',
      'calls.assistant_not_found',
      'contacts.blocked',
      'contacts.waiting',
      'contacts.not_waiting',
      'contacts.never_open',
      'calls.insufficient_balance',
      'user.stopped',
    ],
    risk: 'spends',
    record: 'data',
  },
  stop: {
    ...parleyServerOnly(
      'call-stop',
      'A call in progress can be ended: as `ended` when it was answered, otherwise as `no-answer`',
    ),
    method: 'POST',
    path: '/api/user/calls/{id}/stop',
    summary: 'End a call in progress',
    params: path,
    status: 200,
    output: z.object({ data: Call }),
    errors: ['calls.not_found', 'calls.over'],
    isRepeatable: true,
    risk: 'destructive',
    onlyStops: true,
    record: 'data',
  },
  delete: {
    ...publicDeployments,
    method: 'DELETE',
    path: '/api/user/calls/{id}',
    summary: 'Delete a call',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['calls.not_yours'],
    risk: 'destructive',
  },
})
