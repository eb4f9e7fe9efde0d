import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { FunctionCall } from '../resources/conversations.ts'
import * as z from '../schema/schema.ts'

/** Event that occurs while a reply is generated. */
export const TurnEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('function'), ...FunctionCall.shape }),
])
export type TurnEvent = z.output<typeof TurnEvent>

/** Endpoints for replies in progress. */
export const turns = resource('turns', {
  follow: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/turns/{key}',
    summary: 'Wait for more of a reply in progress',
    params: z.object({ key: z.string().min(1).max(255).describe('Idempotency-Key of the request') }),
    query: z.object({
      after: z.int().min(0).default(0).describe('Number of events already received'),
      wait: z.int().min(0).max(20).default(10).describe('Seconds to wait for new events'),
    }),
    status: 200,
    output: z.object({
      events: z.array(TurnEvent),
      done: z.boolean().describe('Whether the reply is complete'),
    }),
    errors: [],
    risk: 'read',
  },
})
