import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { id, isoMicros, messageWithData, text, variables, webAddress } from '../mechanics/field-schemas.ts'
import { callStatuses } from '../resources/calls.ts'

/**
 * What customers, the messaging channel, the carrier and the payment processor do, made up: only on a platform of one's own. Each is a route, a command,
 * and a step of a scenario.
 */

const controlEndpoint = {
  auth: 'control',
  section: 'local',
  assumed: 'only on a platform of your own',
  method: 'POST',
  status: 200,
  risk: 'write',
  record: 'data',
} as const

const account = { account: id.optional().describe('Id of the account; the only one there is unless given') }
const e164 = text(32, 2)
const nameOrId = z.union([z.int(), z.string().min(1).max(255)])
const assistant = nameOrId.describe('Id, UUID or name of the assistant')
const sender = nameOrId.describe('Id, number or name of the sender')

/** The steps of a provider that can fail. */
export const providerSteps = [
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
  'texting.send',
] as const

const turn = z
  .object({
    customer: text(2000, 1).optional(),
    assistant: text(2000, 1).optional(),
    after: z.int().min(0).max(600).optional(),
  })
  .refine((it) => (it.customer === undefined) !== (it.assistant === undefined), {
    error: 'A turn has words of the customer or of the assistant, not both.',
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
    .describe(
      'What is said, in order: {customer: "..."} or {assistant: "..."}, and after: seconds since the turn before',
    ),
  status: z.enum(callEndStatuses).default('ended_by_customer').describe('How the call ends'),
  answered_by: z.enum(['human', 'machine']).default('human').describe('Who answers'),
  ring: z.int().min(0).max(60).default(5).describe('Seconds until it is answered'),
  duration: z.int().min(1).max(1200).optional().describe('Seconds it lasts; as long as its turns unless given'),
  extracted_variables: variables
    .optional()
    .describe('What the assistant finds out, by the names of its schema; found by rules unless given'),
  recording_url: webAddress(2048).optional().describe('Address of the recording, for an assistant that records'),
}

const bodies = {
  message: z.object({
    ...account,
    sender,
    from: e164.describe('Number of the customer, E.164'),
    text: text(4096, 1).describe('What the customer writes'),
    name: text(255, 1).optional().describe('Name of the customer'),
  }),
  receipt: z.object({
    ...account,
    message_sid: text(64, 1).describe('Identifier of the message, as sending it answered'),
    status: z
      .enum(['sent', 'delivered', 'read', 'failed', 'undelivered'])
      .describe('Its delivery status from now on; it only goes forward'),
    error_code: text(40, 1).optional().describe('Code of a failure'),
    error_message: text(500, 1).optional().describe('Words of a failure'),
  }),
  template: z.object({
    ...account,
    sender,
    template: nameOrId.describe('Id or name of the template'),
    status: z.enum(['approved', 'pending', 'rejected']).describe('What the channel says of it'),
  }),
  sender: z.object({
    ...account,
    sender,
    status: z.enum(['online', 'offline']).optional().describe('What the channel says of it'),
    quality_rating: z.enum(['GREEN', 'YELLOW', 'RED']).optional().describe('How the channel rates it'),
    messaging_limit: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .nullable()
      .optional()
      .describe('Recipients in 24 hours it may write to'),
  }),
  call: z.object({
    ...account,
    direction: z
      .enum(['inbound', 'outbound', 'lead'])
      .default('inbound')
      .describe('Who calls: a customer, the assistant, or a campaign when it comes to this number'),
    assistant: assistant.optional(),
    phone_number: e164.describe('Number of the customer, E.164'),
    to: e164.optional().describe('Number of yours that is called; the assistant’s own unless given'),
    variables: variables.optional().describe('Variables of an outbound call'),
    ...script,
  }),
  payment: z.object({
    ...account,
    outcome: z.enum(['declined', 'accepted']).default('declined').describe('What becomes of charges from now on'),
  }),
  release: z.object({ ...account, number: nameOrId.describe('Id or number that its provider takes back') }),
  failure: z.object({
    provider: z.enum(providerSteps).describe('What fails'),
    times: z.int().min(1).max(1_000_000).default(1).describe('How often'),
    text: text(500, 1).optional().describe('What is said about it'),
  }),
  end: z.object({ ...account, conversation: z.uuid().describe('UUID of the conversation') }),
} as const

const happensAt = { happens_at: isoMicros.nullable().describe('When the platform comes to know, where that is later') }

/** A step of a scenario: one thing by its name, or time that passes. */
export const scenarioStep = z
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
    advance: z.string().regex(/^\d{1,9}(s|m|h|d|w)$/, {
      error: 'The advance field must be a duration such as 90s, 30m, 24h, 31d and 4w.',
    }),
  })
  .partial()
  .strict()
  .refine((it) => Object.keys(it).length === 1, {
    error: 'A step is one thing: message, receipt, template, sender, call, payment, release, failure, end or advance.',
  })

export const simulate = resource('simulate', {
  message: {
    ...controlEndpoint,
    path: '/control/simulate/message',
    summary: 'Have a customer write on the messaging channel',
    body: bodies.message,
    output: messageWithData(z.object({ id: z.int().describe('Id of the message'), conversation_id: z.string() })),
    errors: ['simulate.not_found', 'messaging.no_assistant', 'messaging.invalid_phone'],
  },
  receipt: {
    ...controlEndpoint,
    path: '/control/simulate/receipt',
    summary: 'Have the channel report what became of a message',
    body: bodies.receipt,
    output: messageWithData(
      z.object({
        id: z.int(),
        message_sid: z.string(),
        status: z.string(),
        changed: z.boolean().describe('False when it was further already'),
      }),
    ),
    errors: ['simulate.not_found'],
  },
  template: {
    ...controlEndpoint,
    path: '/control/simulate/template',
    summary: 'Have the channel approve or reject a template; the platform learns it when it synchronises',
    body: bodies.template,
    output: messageWithData(z.object({ id: z.int(), name: z.string(), status: z.string(), ...happensAt })),
    errors: ['simulate.not_found'],
  },
  sender: {
    ...controlEndpoint,
    path: '/control/simulate/sender',
    summary: 'Have the channel change a sender; the platform learns it when it synchronises',
    body: bodies.sender,
    output: messageWithData(z.object({ id: z.int(), phone_number: z.string(), ...happensAt })),
    errors: ['simulate.not_found'],
  },
  call: {
    ...controlEndpoint,
    path: '/control/simulate/call',
    summary: 'Have a call go by a script: what is said, and how it ends',
    body: bodies.call,
    successProof: { message: 'text', 'data.direction': 'text' },
    output: messageWithData(
      z.object({
        id: z.int().nullable().describe('Id of the call; null until a campaign makes it'),
        direction: z.string(),
      }),
    ),
    errors: ['simulate.not_found', 'simulate.impossible', 'calls.invalid_phone', 'calls.insufficient_balance'],
  },
  payment: {
    ...controlEndpoint,
    path: '/control/simulate/payment',
    summary: 'Have the payment processor decline what an account is charged, or accept it again',
    body: bodies.payment,
    output: messageWithData(z.object({ id: z.int().describe('Id of the account'), payment_method: z.string() })),
    errors: ['simulate.not_found'],
  },
  release: {
    ...controlEndpoint,
    path: '/control/simulate/release',
    summary: 'Have the provider take a number back at once',
    body: bodies.release,
    output: messageWithData(z.object({ id: z.int(), phone_number: z.string() })),
    errors: ['simulate.not_found'],
  },
  failure: {
    ...controlEndpoint,
    path: '/control/simulate/failure',
    summary: 'Have a provider fail the next times it is asked',
    body: bodies.failure,
    output: messageWithData(
      z.object({ id: z.int().describe('Id of the fault'), provider: z.string(), times: z.int() }),
    ),
    errors: [],
  },
  end: {
    ...controlEndpoint,
    path: '/control/simulate/end',
    summary: 'End a conversation at once',
    body: bodies.end,
    output: messageWithData(z.object({ id: z.string(), changed: z.boolean().describe('False when it had ended') })),
    errors: ['simulate.not_found'],
  },
  run: {
    ...controlEndpoint,
    path: '/control/simulate/run',
    summary: 'Play a scenario: simulated steps, one after another, and time that passes between them',
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
