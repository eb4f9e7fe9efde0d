import { resource } from '../endpoint/endpoint.ts'
import * as z from '../schema/schema.ts'

/** Language. `iso_2` is its two-letter code, by which commands find a language too. */
export const Language = z.object({ id: z.int(), name: z.string(), iso_2: z.string() })
export type Language = z.output<typeof Language>

export const languages = resource('languages', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/languages',
    summary: 'List languages',
    status: 200,
    output: z.array(Language),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: '',
  },
})
