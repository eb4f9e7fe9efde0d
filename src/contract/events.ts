import * as z from 'zod'
import { bindingTypes } from './automation-records.ts'
import { resource } from './endpoint.ts'
import { id, sized } from './shared.ts'

const control = { auth: 'control', section: 'local', assumed: 'only on a platform of your own' } as const

/** Events of assistants, as if they had happened. */
export const events = resource('events', {
  fire: {
    ...control,
    method: 'POST',
    path: '/control/events',
    summary: 'Raise an event of an assistant as if it had happened',
    body: z.object({
      kind: z.enum(bindingTypes).describe('Event: a call ended, a call comes in, a conversation begins, a conversation ended'),
      account: id.describe('Id of the account'),
      assistant_id: id.describe('Id of the assistant it happens to'),
      payload: sized(z.record(z.string(), z.unknown()), 256).optional().describe('What the event brings; made up from the assistant unless given'),
      key: z.string().min(1).max(255).optional().describe('The same event told again under its key does nothing more'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      data: z.object({
        kind: z.enum(bindingTypes),
        assistant_id: z.int(),
        holder: z.enum(['automation', 'webhook']).nullable().describe('Who is told of it'),
        target: z.string().nullable().describe('Id of the automation, address of the webhook'),
        run_id: z.string().nullable().describe('The run it started'),
        variables: z.record(z.string(), z.string()).nullable().describe('What an inbound call was answered with'),
      }),
    }),
    errors: ['accounts.not_found', 'assistants.not_found'],
    risk: 'outside',
    record: 'data',
  },
})
