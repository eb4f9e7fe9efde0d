import type { EnvelopeName } from '../errors/exit-codes.ts'

type Json = Readonly<Record<string, unknown>>

const envelope = (description: string, properties: Json): Json => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
})

const message = { type: 'string', description: 'What is wrong' }
const code = { type: 'string', description: 'Code of the error' }

/**
 * Name and schema of each error envelope (section 7.1), which `envelopes` of exit-codes.ts builds. Envelopes can have
 * additional fields. The names are types in clients that others generate: they never change.
 */
export const errorSchemas: Readonly<Record<EnvelopeName, readonly [name: string, schema: Json]>> = {
  validation: [
    'ValidationError',
    envelope('Request with invalid fields', {
      message,
      errors: {
        type: 'object',
        description: 'Messages by path of the field',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    }),
  ],
  message: ['MessageError', envelope('Error with a message', { message })],
  messaging: [
    'MessagingError',
    envelope('Error of the messaging channel', {
      success: { type: 'boolean', enum: [false] },
      error: message,
      error_code: code,
    }),
  ],
  error: ['TextError', envelope('Error with a text', { error: message })],
  conversation: [
    'ConversationError',
    envelope('Error of a chat', { status: { type: 'boolean', enum: [false] }, error: message }),
  ],
  automation: ['AutomationError', envelope('Error of an automation', { message, error: code })],
}

/** Name and schema of the answer to too many requests. */
export const throttledSchema: readonly [name: string, schema: Json] = [
  'ThrottledError',
  envelope('Too many requests', { message, retry_after: { type: 'integer', description: 'Seconds to wait' } }),
]
