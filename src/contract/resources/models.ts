import { resource } from '../endpoint/endpoint.ts'
import * as z from '../schema/schema.ts'

/** Model (section 2.6). The list of `llm` models has no `code`. */
export const Model = z.object({ id: z.int(), name: z.string(), code: z.string().optional() })
export type Model = z.output<typeof Model>

/**
 * Types of models. Each mode of an assistant uses those of one or two. A command that needs all models reads one list of each.
 */
export const modelTypes = ['llm', 'multimodal', 'dualplex'] as const

export const models = resource('models', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/models',
    summary: 'List models',
    query: z.object({
      type: z.enum(modelTypes).default('llm').describe('Type: llm (pipeline mode), multimodal or dualplex'),
    }),
    status: 200,
    output: z.array(Model),
    errors: [],
    risk: 'read',
    section: '4.14',
    items: '',
  },
})
