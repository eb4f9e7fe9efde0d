import { engineModes } from '../assistants/engine-modes.ts'
import { resource } from '../endpoint/endpoint.ts'
import { id } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** Voice, public or owned by the account. */
export const Voice = z.object({
  id: z.int(),
  name: z.string(),
  language_id: z.int(),
  gender: z.string(),
  preview_url: z.string().nullable(),
  accent: z.string().nullable().optional(),
  age: z.string().nullable().optional(),
  synthesizer_provider_id: z.int().nullable().optional(),
})
export type Voice = z.output<typeof Voice>

export const voices = resource('voices', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/voices',
    summary: 'List voices',
    query: z.object({
      mode: z.enum(engineModes).optional().describe('Filter by engine mode'),
      language_id: id.optional().describe('Filter by language id'),
    }),
    status: 200,
    output: z.array(Voice),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: '',
  },
})
