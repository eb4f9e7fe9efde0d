import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { SlotEvent } from '../../contract/automations/automation-records.ts'
import { isObject } from '../../contract/values/json-object.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { minute, toIsoMillis } from '../../contract/values/micros.ts'
import { getOwn, nodeInput } from '../definition/node.ts'
import { fromJson } from '../pieces/input-fields.ts'
import { triggerOf } from '../pieces/registry.ts'

/** Fields of an assistant that its events contain. */
interface SampledAssistant {
  /** UUID of the assistant. */
  readonly id: string
  readonly variables?: unknown
  /** Values that the assistant extracts from a call. */
  readonly post_call_schema?: readonly { readonly name: string; readonly type: string }[] | null | undefined
}

/** Phone numbers that are not assigned to anyone. */
const [customerNumber, assistantNumber] = ['+15005550111', '+15005550199'] as const

const exampleValues: Readonly<Record<string, unknown>> = { bool: true, number: 1, string: 'example' }

/** Returns values of the fields that an assistant extracts: without fields those of default-extraction.ts of contract/assistants. */
function sampleVariables({ post_call_schema }: SampledAssistant): Record<string, unknown> {
  const found = (post_call_schema ?? []).map(({ name, type }) => [name, exampleValues[type] ?? 'example'] as const)
  return found.length > 0 ? Object.fromEntries(found) : { status: true, summary: 'The customer asked for a call back.' }
}

const sampleLines = [
  { role: 'assistant', content: 'Hello, how can I help you?' },
  { role: 'user', content: 'Please call me back tomorrow.' },
] as const
/** The sample as `formatTranscript` of platform/services/conversations/transcripts.ts writes it. */
const formattedTranscript = 'AI: Hello, how can I help you?\nCustomer: Please call me back tomorrow.'

/**
 * Returns a sample payload of an assistant's event, with the assistant's own variables (section 4.17, facts section 3).
 * Automations are tested with it before they are live, so it has the fields of the payloads that conversation-events.ts
 * and call-service.ts of the platform send.
 */
export function buildEventSample(event: SlotEvent, assistant: SampledAssistant, now: Micros): Record<string, unknown> {
  const input_variables = assistant.variables ?? {}
  const startedAt = now - 2 * minute
  if (event === 'inbound') return { customer_phone: customerNumber, assistant_phone: assistantNumber }
  if (event === 'post_call') {
    return {
      id: 1,
      customer_phone: customerNumber,
      assistant_phone: assistantNumber,
      duration: 95,
      status: 'completed',
      extracted_variables: sampleVariables(assistant),
      input_variables,
      transcript: sampleLines.map(({ role, content }) => ({
        sender: role === 'user' ? 'human' : 'bot',
        text: content,
        timestamp: startedAt / 1e6,
      })),
      formatted_transcript: formattedTranscript,
      recording_url: null,
      created_at: toIsoMillis(startedAt),
      finished_at: toIsoMillis(now),
    }
  }
  const conversation = {
    id: 1,
    conversation_id: '00000000-0000-4000-8000-000000000000',
    assistant_id: assistant.id,
    type: 'messaging',
    customer_phone: customerNumber,
    customer_name: 'Sample Customer',
    input_variables,
    sender: { phone_number: assistantNumber, display_name: 'Sample Sender' },
    created_at: toIsoMillis(startedAt),
  }
  if (event === 'conversation') return conversation
  return {
    ...conversation,
    message_count: sampleLines.length,
    status: 'ended',
    extracted_variables: sampleVariables(assistant),
    transcript: sampleLines.map((sampleLine) => ({
      ...sampleLine,
      timestamp: toIsoMillis(startedAt),
      timestamp_unix: Math.floor(startedAt / 1e6),
    })),
    formatted_transcript: formattedTranscript,
    attachments: [],
    ended_at: toIsoMillis(now),
  }
}

/** Request as the webhook trigger receives it. Runs are stored with it, and expressions of users read its fields: they never change. */
export interface WebhookRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** A parameter that occurs more than once has a list. */
  readonly queryParams: Readonly<Record<string, string | readonly string[]>>
  readonly body: unknown
  /** The body as it was sent, for definitions that refer to it: its text, or base64 if it is not UTF-8. */
  readonly rawBody?: string
  readonly rawBodyEncoding?: 'utf8' | 'base64'
}

/** Converts a sample to a webhook request. It is used as the body, unless it has the fields of a whole request. */
export function toWebhookRequest(sample: Readonly<Record<string, unknown>>): WebhookRequest {
  const isWhole =
    'body' in sample &&
    Object.keys(sample).every((key) =>
      ['method', 'headers', 'queryParams', 'body', 'rawBody', 'rawBodyEncoding'].includes(key),
    )
  return { method: 'POST', headers: {}, queryParams: {}, ...(isWhole ? sample : { body: sample }) } as WebhookRequest
}

/**
 * Converts a sample to what a called automation receives. It is used as the data, unless it has the fields of a whole
 * call. Without a sample, the data is the example of the trigger.
 */
export function toCall(trigger: AutomationNode, sample: unknown): Record<string, unknown> {
  if (isObject(sample)) {
    const isWhole = 'data' in sample && Object.keys(sample).every((it) => it === 'data' || it === 'parentRunId')
    return isWhole ? sample : { data: sample }
  }
  const example = fromJson(getOwn(nodeInput(trigger), 'exampleData'))
  return { data: (isObject(example) && 'sampleData' in example ? fromJson(example.sampleData) : example) ?? {} }
}

/** Returns the input of a trigger without a platform: the sample, or one generated for a default assistant. */
export function createTriggerPayload(trigger: AutomationNode, sample: unknown, now: Micros): unknown {
  const { kind, binding } = triggerOf(trigger) ?? {}
  if (kind === 'call') return toCall(trigger, sample)
  const given =
    sample ?? (binding ? buildEventSample(binding, { id: '00000000-0000-4000-8000-000000000000' }, now) : {})
  return kind === 'webhook' ? toWebhookRequest(given as Record<string, unknown>) : given
}
