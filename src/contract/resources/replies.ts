import { resource } from '../endpoint/endpoint.ts'
import { givenVariables, id, text, visibleText } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { FunctionCall } from './conversations.ts'

export const replies = resource('replies', {
  generate: {
    method: 'POST',
    path: '/api/user/ai/generate-reply',
    summary: 'Generate a reply for another channel (5 per minute)',
    body: z.object({
      assistant_id: id.describe('Id of the assistant'),
      customer_identifier: text(255, 1).describe('Identifier of the customer on that channel, at most 255 characters'),
      message: visibleText(Infinity).describe('Message from the customer'),
      variables: givenVariables
        .optional()
        .describe('Variables for the assistant, merged with those of the conversation'),
    }),
    status: 200,
    output: z.object({
      success: z.literal(true),
      conversation_id: z.string(),
      customer_identifier: z.string(),
      reply: z.string().nullable().describe('Null while AI replies are disabled in the conversation'),
      function_calls: z.array(FunctionCall),
      ai_disabled: z.boolean(),
    }),
    errors: ['replies.assistant_not_found', 'replies.insufficient_balance', 'replies.failed', 'throttled'],
    risk: 'spends',
    isMessage: true,
    successProof: { conversation_id: 'id', function_calls: 'list' },
    limit: { name: 'replies.generate', max: 5, seconds: 60 },
    section: '4.22',
    assumed: 'public deployments',
  },
})
