import { detailsHeader } from '../automations/automation-headers.ts'
import { resource } from '../endpoint/endpoint.ts'
import { onlyParleyServer } from '../endpoint/endpoint-origins.ts'
import {
  amount,
  assumed,
  checkDateOrder,
  count,
  dateRange,
  evenIfInvalid,
  givenVariables,
  id,
  pageEnvelope,
  pageParameters,
  plainTime,
  uuid,
  variables,
  visibleText,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Types of a conversation. Rows have them; they decide whether a message is charged, and whether silence ends the
 * conversation.
 */
const conversationTypes = ['test', 'widget', 'messaging', 'api'] as const

const participant = z.object({ name: z.string().nullable(), phone: z.string() }).nullable().optional()

/** Conversation (section 2.7). */
export const Conversation = z.object({
  id: uuid,
  assistant_id: uuid,
  assistant_name: z.string(),
  type: z.enum(conversationTypes),
  message_count: count,
  total_cost: amount.describe('USD'),
  ai_enabled: z.boolean(),
  status: assumed(
    z.enum(['open', 'ended']).optional().describe('Whether the conversation has ended; with Parley-Details: full'),
    onlyParleyServer,
  ),
  customer: assumed(participant.describe('Customer of a message channel; with Parley-Details: full'), onlyParleyServer),
  external_identifier: assumed(
    z
      .string()
      .nullable()
      .optional()
      .describe('Identifier of the customer in a conversation of the type api; with Parley-Details: full'),
    onlyParleyServer,
  ),
  created_at: plainTime,
  updated_at: plainTime,
})
export type Conversation = z.output<typeof Conversation>

/** Function that the assistant ran for a reply. */
export const FunctionCall = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()),
})

/** Message of a conversation, with the tools that its answer called. */
export const HistoryMessage = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  function_calls: z.array(FunctionCall).optional(),
})
export type HistoryMessage = z.output<typeof HistoryMessage>

const path = z.object({ uuid: z.string().min(1).describe('UUID of the conversation') })
const aiStatusResponse = z.object({ status: z.literal(true), ai_enabled: z.boolean() })

const filters = z
  .object({
    type: z.enum(conversationTypes).optional().describe('Type of conversation'),
    assistant_id: assumed(id.optional().describe('Id of the assistant')),
    ...dateRange,
    ...pageParameters(15),
  })
  .superRefine(checkDateOrder, evenIfInvalid)

export const conversations = resource('conversations', {
  list: {
    method: 'GET',
    path: '/api/user/conversations',
    summary: 'List conversations',
    query: filters,
    headers: { [detailsHeader]: 'full: include fields that the specification does not list' },
    status: 200,
    output: pageEnvelope(Conversation),
    errors: [],
    risk: 'read',
    section: '4.8',
    items: 'data',
    paged: true,
  },
  create: {
    method: 'POST',
    path: '/api/conversations',
    summary: 'Start a conversation with an assistant',
    body: z.object({
      assistant_id: z.string().describe('UUID of the assistant'),
      type: z
        .enum(['widget', 'test'])
        .default('widget')
        .describe('Type: widget costs 0.01 USD per message, test is free'),
      variables: givenVariables.optional().describe('Variables for the assistant'),
    }),
    status: 200,
    output: z.object({ status: z.literal(true), conversation_id: uuid, history: z.array(HistoryMessage) }),
    errors: ['conversations.assistant_not_found', 'conversations.insufficient_balance'],
    risk: 'write',
    successProof: { conversation_id: 'id', history: 'list' },
    section: '4.9',
    assumed: 'public deployments',
    auth: 'none',
    validationMessage: 'first',
  },
  get: {
    method: 'GET',
    path: '/api/conversations/{uuid}',
    summary: 'Show a conversation and its messages',
    params: path,
    status: 200,
    output: z.object({
      status: z.literal(true),
      history: z.array(HistoryMessage),
      variables: variables.optional(),
      external_identifier: z.string().nullable().optional(),
      messaging_sender: participant,
      customer: participant,
    }),
    errors: ['conversations.not_found'],
    risk: 'read',
    section: '4.9',
    assumed: 'public deployments',
    auth: 'none',
  },
  send: {
    method: 'POST',
    path: '/api/conversations/{uuid}/messages',
    summary: 'Send a message and get the reply (widget: 0.01 USD)',
    params: path,
    body: z.object({ message: visibleText(2000).describe('Message, at most 2000 characters') }),
    status: 200,
    output: z.object({
      status: z.boolean(),
      message: z.string().describe('Empty while AI replies are disabled'),
      function_calls: z.array(FunctionCall),
    }),
    errors: ['conversations.not_found', 'conversations.insufficient_balance', 'conversations.failed'],
    risk: 'spends',
    isMessage: true,
    successProof: { message: 'text', function_calls: 'list' },
    section: '4.9',
    auth: 'none',
    validationMessage: 'first',
  },
  enableAi: {
    method: 'POST',
    path: '/api/automate/conversations/{uuid}/enable-ai',
    summary: 'Enable AI replies in a conversation',
    params: path,
    status: 200,
    output: aiStatusResponse,
    errors: ['conversations.not_found', 'conversations.unauthorized'],
    isRepeatable: true,
    risk: 'write',
    section: '4.22',
    assumed: 'public deployments',
  },
  disableAi: {
    method: 'POST',
    path: '/api/automate/conversations/{uuid}/disable-ai',
    summary: 'Disable AI replies in a conversation',
    params: path,
    status: 200,
    output: aiStatusResponse,
    errors: ['conversations.not_found', 'conversations.unauthorized'],
    isRepeatable: true,
    risk: 'write',
    section: '4.22',
    assumed: 'public deployments',
  },
})
