import { bindingTypes } from '../automations/automation-records.ts'
import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, maxItems, maxJsonSize } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Kinds of events that the local platform records. Rows of events, and recordings of `events listen` that users keep,
 * have them: they are added, not renamed.
 */
const eventKinds = [
  'conversation.started',
  'conversation.ended',
  'call.ended',
  'message.sent',
  'message.status',
  'sms.sent',
  'contact.blocked',
  'contact.unblocked',
  'contact.skipped',
  // A message that contains a word to opt out and more, for a person to read.
  'contact.opt_out_suspected',
  'number.purchased',
  'number.released',
  'subscription.payment_failed',
  // A live run of an automation failed.
  'automation.run_failed',
  // Test events sent with `parley events fire`.
  'fired.post_call',
  'fired.inbound',
  'fired.conversation',
  'fired.conversation_ended',
] as const
export type EventKind = (typeof eventKinds)[number]

export const PlatformEvent = z.object({
  id: z.int(),
  account_id: z.int(),
  kind: z.string().describe('Kind of event'),
  subject: z.string().describe('Resource of the event'),
  payload: z.unknown(),
  created_at: isoMicros,
  handled: z.boolean().describe('Whether all receivers were notified'),
})
export type PlatformEvent = z.output<typeof PlatformEvent>

const eventFilters = z.object({
  account: id.optional().describe('Id of the account'),
  kind: z.enum(eventKinds).optional().describe('Only this kind'),
  after: z
    .int()
    .min(0)
    .optional()
    .describe('Only events after the one with this id, oldest first (default: the newest)'),
  limit: maxItems(100).describe('Maximum number of items'),
})

/** Endpoints for recorded events, and for sending test events. */
export const events = resource('events', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/events',
    summary: 'List events, newest last',
    query: eventFilters,
    oldParameters: { most: 'limit' },
    status: 200,
    output: z.object({ data: z.array(PlatformEvent) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  listen: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts/{account}/events/signed',
    summary: 'Read events of an account as signed webhook payloads',
    params: z.object({ account: id.describe('Id of the account') }),
    query: eventFilters.omit({ account: true }),
    oldParameters: { most: 'limit' },
    status: 200,
    output: z.object({
      data: z.array(
        z.object({ id: z.int(), kind: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
      ),
      last: z.int().describe('Id to pass as "after" in the next request'),
    }),
    errors: ['accounts.not_found'],
    risk: 'read',
    items: 'data',
  },
  fire: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/events',
    summary: 'Trigger an event of an assistant',
    body: z.object({
      kind: z.enum(bindingTypes).describe('Event: call ended, inbound call, conversation started, conversation ended'),
      account: id.describe('Id of the account'),
      assistant_id: id.describe('Id of the assistant'),
      payload: maxJsonSize(z.record(z.string(), z.unknown()), 256)
        .optional()
        .describe('Payload of the event (default: generated from the assistant)'),
      key: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Idempotency key: an event with the same key is triggered once'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      data: z.object({
        kind: z.enum(bindingTypes),
        assistant_id: z.int(),
        holder: z.enum(['automation', 'webhook']).nullable().describe('Receiver of the event'),
        target: z.string().nullable().describe('Id of the automation, or URL of the webhook'),
        run_id: z.string().nullable().describe('Id of the run that it started'),
        variables: z.record(z.string(), z.string()).nullable().describe('Variables in the response to an inbound call'),
      }),
    }),
    errors: ['accounts.not_found', 'assistants.not_found'],
    risk: 'outside',
    record: 'data',
  },
})
