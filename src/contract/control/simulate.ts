import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { givenVariables, id, isoMicros, messageWithData, text, webAddress } from '../endpoint/field-schemas.ts'
import { callStatuses } from '../resources/calls.ts'
import { reportedStatuses } from '../resources/message-records.ts'
import { MessageTemplate, Sender } from '../resources/messaging.ts'
import * as z from '../schema/schema.ts'
import { durationPattern } from '../values/duration.ts'

/**
 * Properties shared by the simulation endpoints, which exist only on local platforms.
 * They simulate customers, the messaging channel, the carrier and the payment processor. Each is a route, a command,
 * and a step of a scenario.
 */
const simulation = { ...controlEndpoint, method: 'POST', status: 200, risk: 'write', record: 'data' } as const
const account = { account: id.optional().describe('Id of the account (default: the only account)') }
const e164 = text(32, 2)
const nameOrId = z.union([z.int(), z.string().min(1).max(255)])
const assistant = nameOrId.describe('Id, UUID or name of the assistant')
const sender = nameOrId.describe('Id, number or name of the sender')

/**
 * Provider steps that can be made to fail. Each is an operation of platform/providers/local/fault-injection.ts: the fault
 * rule is found by its name.
 */
const providerSteps = [
  'telephony.search',
  'telephony.find',
  'telephony.order',
  'telephony.release',
  'payments.charge',
  'payments.refund',
  'channel.send',
  'reader.read',
  'voice.create',
  'voice.delete',
  'language.reply',
  'language.extract',
  'carrier.dial',
  'carrier.look',
  'carrier.hangUp',
  'texting.send',
] as const

const turn = z
  .object({
    customer: text(2000, 1).optional(),
    assistant: text(2000, 1).optional(),
    after: z.int().min(0).max(600).optional(),
  })
  .refine((it) => (it.customer === undefined) !== (it.assistant === undefined), {
    error: 'A turn has text of the customer or of the assistant, not both.',
  })

const callEndStatuses = callStatuses.filter((it) => !['initiated', 'ringing', 'in-progress', 'ended'].includes(it)) as [
  'busy',
  'completed',
  'ended_by_customer',
  'ended_by_assistant',
  'no-answer',
  'failed',
]

const script = {
  turns: z
    .array(turn)
    .max(500)
    .default([])
    .describe('Turns in order: {customer: "..."} or {assistant: "..."}, with after: seconds since the previous turn'),
  status: z.enum(callEndStatuses).default('ended_by_customer').describe('How the call ends'),
  answered_by: z.enum(['human', 'machine']).default('human').describe('Who answers'),
  ring: z.int().min(0).max(60).default(5).describe('Seconds until the call is answered'),
  duration: z.int().min(1).max(1200).optional().describe('Duration in seconds (default: the duration of its turns)'),
  extracted_variables: givenVariables
    .optional()
    .describe('Extracted values, by the names in the schema of the assistant (default: extracted by rules)'),
  recording_url: webAddress(2048).optional().describe('URL of the recording, for an assistant that records'),
}

const bodies = {
  message: z.object({
    ...account,
    sender,
    from: e164.describe('Number of the customer, E.164'),
    text: text(4096, 1).describe('Text of the message'),
    name: text(255, 1).optional().describe('Name of the customer'),
  }),
  receipt: z.object({
    ...account,
    message_sid: text(64, 1).describe('Identifier of the message, as returned when it was sent'),
    status: z.enum(reportedStatuses).describe('New delivery status; it only moves forward'),
    error_code: text(40, 1).optional().describe('Error code of a failure'),
    error_message: text(500, 1).optional().describe('Error message of a failure'),
  }),
  template: z.object({
    ...account,
    sender,
    template: nameOrId.describe('Id or name of the template'),
    status: MessageTemplate.shape.status.describe('New status of the template'),
  }),
  sender: z.object({
    ...account,
    sender,
    status: Sender.shape.status.optional().describe('New status of the sender'),
    quality_rating: Sender.shape.quality_rating.optional().describe('New quality rating'),
    messaging_limit: z.int().min(1).max(1_000_000_000).nullable().optional().describe('Maximum recipients in 24 hours'),
  }),
  call: z.object({
    ...account,
    direction: z
      .enum(['inbound', 'outbound', 'lead'])
      .default('inbound')
      .describe(
        'Caller: a customer (inbound), the assistant (outbound), or a campaign that reaches this number (lead)',
      ),
    assistant: assistant.optional(),
    phone_number: e164.describe('Number of the customer, E.164'),
    to: e164.optional().describe('Number that is called (default: the number of the assistant)'),
    variables: givenVariables.optional().describe('Variables of an outbound call'),
    ...script,
  }),
  payment: z.object({
    ...account,
    outcome: z.enum(['declined', 'accepted']).default('declined').describe('Outcome of later charges'),
  }),
  release: z.object({ ...account, number: nameOrId.describe('Id or phone number to release') }),
  failure: z.object({
    provider: z.enum(providerSteps).describe('Provider step that fails'),
    times: z.int().min(1).max(1_000_000).default(1).describe('Number of failures'),
    text: text(500, 1).optional().describe('Error message'),
  }),
  end: z.object({ ...account, conversation: z.uuid().describe('UUID of the conversation') }),
} as const

const happensAt = { happens_at: isoMicros.nullable().describe('Time when the platform is updated, if later') }

/**
 * Step of a scenario: one simulation by its name, or time that passes. Users have files of such steps (`server simulate run`):
 * steps and fields are added, not renamed.
 */
const scenarioStep = z
  .object({
    message: bodies.message,
    receipt: bodies.receipt.extend({ message_sid: bodies.receipt.shape.message_sid.default('last') }),
    template: bodies.template,
    sender: bodies.sender,
    call: bodies.call,
    payment: bodies.payment,
    release: bodies.release,
    failure: bodies.failure,
    end: bodies.end.extend({ conversation: z.union([z.uuid(), z.literal('last')]).default('last') }),
    advance: z.string().regex(durationPattern, {
      error: 'The advance field must be a duration such as 90s, 30m, 24h, 31d and 4w.',
    }),
  })
  .partial()
  .strict()
  .refine((it) => Object.keys(it).length === 1, {
    error:
      'A step must be one of message, receipt, template, sender, call, payment, release, failure, end and advance.',
  })

export const simulate = resource('simulate', {
  message: {
    ...simulation,
    path: '/control/simulate/message',
    summary: 'Simulate an inbound message of a customer',
    body: bodies.message,
    output: messageWithData(z.object({ id: z.int().describe('Id of the message'), conversation_id: z.string() })),
    errors: ['simulate.not_found', 'messaging.no_assistant', 'messaging.invalid_phone'],
  },
  receipt: {
    ...simulation,
    path: '/control/simulate/receipt',
    summary: 'Simulate a delivery status of a message',
    body: bodies.receipt,
    output: messageWithData(
      z.object({
        id: z.int(),
        message_sid: z.string(),
        status: z.string(),
        changed: z.boolean().describe('False if the status was already further'),
      }),
    ),
    errors: ['simulate.not_found'],
  },
  template: {
    ...simulation,
    path: '/control/simulate/template',
    summary: 'Simulate a review of a template',
    body: bodies.template,
    output: messageWithData(z.object({ id: z.int(), name: z.string(), status: z.string(), ...happensAt })),
    errors: ['simulate.not_found'],
  },
  sender: {
    ...simulation,
    path: '/control/simulate/sender',
    summary: 'Simulate a sender change by the messaging channel',
    body: bodies.sender,
    output: messageWithData(z.object({ id: z.int(), phone_number: z.string(), ...happensAt })),
    errors: ['simulate.not_found'],
  },
  call: {
    ...simulation,
    path: '/control/simulate/call',
    summary: 'Simulate a phone call with scripted turns',
    body: bodies.call,
    successProof: { message: 'text', 'data.direction': 'text' },
    output: messageWithData(
      z.object({
        id: z.int().nullable().describe('Id of the call; null until a campaign starts it'),
        direction: z.string(),
      }),
    ),
    errors: ['simulate.not_found', 'simulate.impossible', 'calls.invalid_phone', 'calls.insufficient_balance'],
  },
  payment: {
    ...simulation,
    path: '/control/simulate/payment',
    summary: 'Simulate declined or accepted payments',
    body: bodies.payment,
    output: messageWithData(z.object({ id: z.int().describe('Id of the account'), payment_method: z.string() })),
    errors: ['simulate.not_found'],
  },
  release: {
    ...simulation,
    path: '/control/simulate/release',
    summary: 'Simulate the release of a number by its provider',
    body: bodies.release,
    output: messageWithData(z.object({ id: z.int(), phone_number: z.string() })),
    errors: ['simulate.not_found'],
  },
  failure: {
    ...simulation,
    path: '/control/simulate/failure',
    summary: 'Simulate failures of a provider',
    body: bodies.failure,
    output: messageWithData(
      z.object({ id: z.int().describe('Id of the fault rule'), provider: z.string(), times: z.int() }),
    ),
    errors: [],
  },
  end: {
    ...simulation,
    path: '/control/simulate/end',
    summary: 'End a conversation',
    body: bodies.end,
    output: messageWithData(
      z.object({ id: z.string(), changed: z.boolean().describe('False if it had already ended') }),
    ),
    errors: ['simulate.not_found'],
  },
  run: {
    ...simulation,
    path: '/control/simulate/run',
    summary: 'Run a scenario of simulated steps',
    body: z.object({
      ...account,
      steps: z.array(scenarioStep).min(1).max(1000).describe('Steps in order, such as {call: {...}} or {advance: 30m}'),
    }),
    output: messageWithData(
      z.object({ steps: z.array(z.object({ step: z.string(), message: z.string(), data: z.unknown() })) }),
    ),
    errors: [
      'simulate.not_found',
      'simulate.impossible',
      'messaging.no_assistant',
      'messaging.invalid_phone',
      'calls.invalid_phone',
      'calls.insufficient_balance',
    ],
  },
})
