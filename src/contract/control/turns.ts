import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { FunctionCall } from '../resources/conversations.ts'

const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a platform of your own' } as const

/** What happens while a reply is made. */
export const TurnEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('function'), ...FunctionCall.shape }),
])
export type TurnEvent = z.output<typeof TurnEvent>

/** Replies on their way. */
export const turns = resource('turns', {
  follow: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/turns/{key}',
    summary: 'Wait for more of a reply that is being made',
    params: z.object({ key: z.string().min(1).max(255).describe('Idempotency-Key of the request that asked for it') }),
    query: z.object({
      after: z.int().min(0).default(0).describe('How many events are known already'),
      wait: z.int().min(0).max(20).default(10).describe('Seconds to wait for more'),
    }),
    status: 200,
    output: z.object({
      events: z.array(TurnEvent),
      done: z.boolean().describe('Whether the reply is made: the answer to the message has all of it'),
    }),
    errors: [],
    risk: 'read',
  },
})
