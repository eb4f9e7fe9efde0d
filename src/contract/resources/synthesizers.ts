import { resource } from '../endpoint/endpoint.ts'
import { id } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** Text-to-speech provider (section 2.6). Commands find it by `name` or `code`. */
export const Synthesizer = z.object({ id: z.int(), name: z.string(), code: z.string() })
export type Synthesizer = z.output<typeof Synthesizer>

export const synthesizers = resource('synthesizers', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/synthesizer-providers',
    summary: 'List text-to-speech providers',
    query: z.object({ language_id: id.optional().describe('Filter by language id') }),
    status: 200,
    output: z.array(Synthesizer),
    errors: [],
    risk: 'read',
    section: '4.13',
    items: '',
  },
})
