import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, maxItems, maxJsonSize, webAddress } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { durationPattern } from '../values/duration.ts'

/**
 * Events that are delivered to webhooks. Only local platforms list deliveries and show how they are signed. Rows of
 * deliveries have them: they are added, not renamed.
 */
const deliveryEvents = [
  'post_call',
  'inbound',
  'conversation',
  'conversation_ended',
  'message_status',
  'automation_run_failed',
] as const
/** `pending`: an attempt is due or in progress. `delivered` and `failed` are final. */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** Delivery of an event to a webhook, with its attempts so far. */
export const Delivery = z.object({
  id: z.int(),
  account_id: z.int(),
  message_id: z.string().describe('Message id in the webhook-id header, the same for every attempt'),
  event: z.enum(deliveryEvents),
  assistant_id: z.int().nullable(),
  sender_id: z.int().nullable(),
  url: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  attempts_left: z.int(),
  next_attempt_at: isoMicros
    .nullable()
    .describe('Time of the next attempt; null if it has ended or waits for an earlier delivery'),
  last_status: z.int().nullable().describe('Last HTTP status of the receiver'),
  last_error: z.string().nullable(),
  created_at: isoMicros,
  finished_at: isoMicros.nullable(),
})
export type Delivery = z.output<typeof Delivery>

const Attempt = z.object({
  number: z.int(),
  at: isoMicros,
  status: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable().describe('Start of the response'),
  ms: z.int(),
})

/** Schema of a point in time: ISO 8601, or a duration before now such as `90s` or `7d`. */
const sinceParameter = z
  .string()
  .refine(
    (value) => durationPattern.test(value) || (/^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
    {
      error: 'The since field must be a time such as 2026-01-31T09:00:00Z, or how long ago: 90s, 30m, 24h, 7d.',
    },
  )

const deliveryFilters = {
  account: id.optional().describe('Id of the account'),
  event: z.enum(deliveryEvents).optional().describe('Event of the delivery'),
  failed: z.boolean().optional().describe('Only failed deliveries'),
  since: sinceParameter.optional().describe('Only deliveries at or after a time, or within the last 30m, 24h, 7d'),
}

/** Fields of a replay that send a changed copy instead. */
const copyFields = {
  url: webAddress(2000).optional().describe('Send a copy to this URL, once'),
  payload: maxJsonSize(z.record(z.string(), z.unknown()), 256).optional().describe('Send a copy with this payload'),
  headers: z
    .record(
      z.string().regex(/^(?!(host|connection|content-length|transfer-encoding)$)[\w-]{1,100}$/i, {
        error: 'The headers field has a name that is invalid or reserved.',
      }),
      z
        .string()
        .max(2000)
        .regex(/^[^\r\n]*$/, { error: 'The headers field has a value with a line break.' }),
    )
    .optional()
    .describe('Send a copy with these additional headers'),
}

export const deliveries = resource('deliveries', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/deliveries',
    summary: 'List webhook deliveries, newest first',
    query: z.object({
      ...deliveryFilters,
      status: z.enum(deliveryStatuses).optional().describe('Only this status'),
      limit: maxItems(100).describe('Maximum number of items'),
    }),
    oldParameters: { most: 'limit' },
    status: 200,
    output: z.object({ data: z.array(Delivery) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  show: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/deliveries/{id}',
    summary: 'Show a delivery with its payload and attempts',
    params: z.object({ id: id.describe('Id of the delivery') }),
    status: 200,
    output: z.object({
      data: Delivery.extend({
        payload: z.unknown(),
        replay_url: z.string().nullable().describe('URL that a replay is sent to; null if the webhook is disabled'),
        tries: z.array(Attempt),
      }),
    }),
    errors: ['deliveries.not_found'],
    risk: 'read',
    record: 'data',
  },
  replay: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/deliveries/replay',
    summary: 'Replay one delivery or all that match',
    body: z.object({ ...deliveryFilters, id: id.optional().describe('Id of a single delivery'), ...copyFields }),
    status: 200,
    output: z.object({
      message: z.string(),
      count: z.int(),
      disabled: z
        .int()
        .optional()
        .describe('Number of deliveries that were not queued, because their webhook is disabled'),
      copy: z.int().optional().describe('Id of the copy that was sent'),
    }),
    errors: ['deliveries.not_found', 'deliveries.webhook_disabled'],
    risk: 'write',
  },
})
