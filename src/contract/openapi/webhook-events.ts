import { isoMillis } from '../endpoint/field-schemas.ts'
import { reportedStatuses } from '../resources/message-records.ts'
import * as z from '../schema/schema.ts'
import { toJsonSchema } from './item-types.ts'

type Json = Record<string, unknown>

/** Webhooks that the platform calls: who is notified, what is sent, and what the answer is for. */
interface WebhookEvent {
  readonly summary: string
  readonly description: string
  readonly payload: z.ZodType
  /** Kind of the recorded event with such a payload, by which the example is found. `eventKinds` of events.ts has them. */
  readonly kind: string
  readonly answer?: z.ZodType
}

const variables = z.record(z.string(), z.unknown())
const phone = z.string().nullable()

const conversation = z.object({
  id: z.int(),
  conversation_id: z.uuid(),
  assistant_id: z.string().describe('UUID of the assistant'),
  type: z.string().describe('widget or messaging'),
  customer_phone: phone,
  customer_name: z.string().nullable(),
  input_variables: variables,
  sender: z.object({ phone_number: z.string(), display_name: z.string().nullable() }).nullable(),
  created_at: isoMillis,
})

const campaign = z.looseObject({ id: z.int(), name: z.string(), status: z.string() })

/**
 * The webhooks by event. Receivers of others rely on their payloads: fields are added and not renamed.
 * conversation-events.ts, call-service.ts and delivery-status.ts of the platform send them.
 */
export const webhookEvents: Readonly<Record<string, WebhookEvent>> = {
  post_call: {
    summary: 'A call has ended',
    description: 'Sent to the post-call webhook of the assistant.',
    kind: 'call.ended',
    payload: z.object({
      id: z.int().describe('Id of the call'),
      customer_phone: phone,
      assistant_phone: phone,
      duration: z.number().nullable().describe('Seconds'),
      status: z.string(),
      extracted_variables: variables,
      input_variables: variables,
      transcript: z.array(
        z.object({ sender: z.string(), type: z.string(), text: z.string(), timestamp: z.number().describe('Seconds') }),
      ),
      formatted_transcript: z.string(),
      recording_url: z.string().nullable(),
      created_at: isoMillis,
      finished_at: isoMillis,
      lead: z
        .looseObject({ id: z.int(), phone_number: z.string(), variables, status: z.string(), campaign })
        .optional()
        .describe('Only for a call of a campaign'),
    }),
  },
  inbound: {
    summary: 'A call comes in',
    description:
      'Sent to the inbound webhook of the assistant before it answers. The answer contains variables for the conversation.',
    kind: 'fired.inbound',
    payload: z.object({ customer_phone: z.string(), assistant_phone: z.string() }),
    answer: z.record(z.string(), z.string()),
  },
  conversation: {
    summary: 'A conversation has started',
    description: 'Sent to the conversation webhook of the assistant.',
    kind: 'conversation.started',
    payload: conversation,
  },
  conversation_ended: {
    summary: 'A conversation has ended',
    description: 'Sent to the conversation-ended webhook of the assistant.',
    kind: 'conversation.ended',
    payload: conversation.extend({
      message_count: z.int(),
      status: z.literal('ended'),
      extracted_variables: variables,
      transcript: z.array(
        z.object({ role: z.string(), content: z.string(), timestamp: isoMillis, timestamp_unix: z.int() }),
      ),
      formatted_transcript: z.string(),
      attachments: z.array(z.object({ type: z.string(), url: z.string(), filename: z.string().nullable() })),
      ended_at: isoMillis,
    }),
  },
  message_status: {
    summary: 'The delivery status of a message has changed',
    description:
      'Sent to the webhook of the sender, with the header X-Signature-256 if the sender has a secret: sha256= and the hexadecimal HMAC-SHA256 of the body.',
    kind: 'message.status',
    payload: z.object({
      event: z.literal('message_status'),
      channel_message_id: z.int(),
      message_sid: z.string(),
      meta_message_id: z.string(),
      conversation_id: z.string().nullable(),
      assistant_id: z.string().nullable(),
      sender: z.looseObject({ id: z.int(), phone_number: z.string(), display_name: z.string().nullable() }),
      to: z.string(),
      from: z.string(),
      direction: z.literal('outbound'),
      status: z.enum(reportedStatuses),
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
      error_description: z.string().nullable(),
      timestamp: isoMillis,
      provider_timestamp: isoMillis,
    }),
  },
  automation_run_failed: {
    summary: 'A live run of an automation has failed',
    description: 'Sent to the webhook of the account for failed runs.',
    kind: 'automation.run_failed',
    payload: z.object({
      automation_id: z.string(),
      automation_name: z.string().nullable(),
      version: z.int().nullable(),
      run_id: z.string(),
      status: z.literal('FAILED'),
      error: z.unknown(),
      start_time: isoMillis,
      end_time: isoMillis,
    }),
  },
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const plain = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = toJsonSchema(schema, io)
  return rest
}

/** Returns the `webhooks` section of the document. `examples` are real payloads by kind of event. */
export const createWebhooks = (examples: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(
    Object.entries(webhookEvents).map(([name, { summary, description, payload, kind, answer }]) => {
      const example = examples[kind]
      const operation = {
        operationId: `webhooks.${name}`,
        summary,
        description: `${description} Any status from 200 to 299 accepts the event. Otherwise it is sent again, with the same webhook-id.`,
        tags: ['webhooks'],
        security: [],
        parameters: [
          header('webhook-id', 'Id of the event, the same for every attempt'),
          header('webhook-timestamp', 'Time of the attempt in seconds since 1970'),
          header('webhook-signature', 'Signatures of the body in Standard Webhooks format, separated by spaces'),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: plain(payload, 'output'), ...(example !== undefined && { example }) },
          },
        },
        responses: {
          200: {
            description: 'The event was accepted',
            ...(answer && { content: { 'application/json': { schema: plain(answer, 'input') } } }),
          },
        },
      }
      return [name, { post: operation }]
    }),
  )
