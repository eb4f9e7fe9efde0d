import { resource } from '../endpoint/endpoint.ts'
import { id } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** Speech-to-text provider. */
export const Transcriber = z.object({ id: z.int(), name: z.string(), code: z.string() })
export type Transcriber = z.output<typeof Transcriber>

export const transcribers = resource('transcribers', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/transcriber-providers',
    summary: 'List speech-to-text providers',
    query: z.object({ language_id: id.optional().describe('Filter by language id') }),
    status: 200,
    output: z.array(Transcriber),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: '',
  },
})
