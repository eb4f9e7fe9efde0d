import { resource } from '../endpoint/endpoint.ts'
import { publicDeployments } from '../endpoint/endpoint-origins.ts'
import { id, pageParameters, text } from '../endpoint/field-schemas.ts'
import { createdResponse, deletedResponse, updatedResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'

/** Colors of folders and labels. Both resources only group assistants and share this file. Rows of both have them. */
export const colors = ['gray', 'slate', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'purple', 'pink'] as const

export const Grouping = z.object({
  id: z.int(),
  name: z.string(),
  color: z.enum(colors).nullable(),
  assistants_count: z.int(),
})
export type Grouping = z.output<typeof Grouping>

/** Page envelope of the lists of folders and labels: it has no links and no last page. */
const page = z.object({ data: z.array(Grouping), current_page: z.int(), per_page: z.int(), total: z.int() })

const fields = {
  name: text(255, 1).describe('Name, unique, at most 255 characters'),
  color: z.enum(colors).nullable().describe('Color'),
}
const draft = z.object({ name: fields.name, color: fields.color.optional() })
const change = z.object(fields).partial()

/**
 * Builds the endpoints of one kind of grouping, such as `folder` in the resource `folders`. `whenDeleted` says what
 * happens to its assistants.
 */
export function groupingEndpoints<const T extends 'folder' | 'label'>(kind: T, whenDeleted: string) {
  const path = z.object({ id: id.describe(`Id of the ${kind}`) })
  const base = `/api/user/${kind}` as const
  const missing = `${kind}s.not_found` as const
  return resource(`${kind}s`, {
    list: {
      ...publicDeployments,
      method: 'GET',
      path: `${base}s`,
      summary: `List ${kind}s of assistants`,
      query: z.object(pageParameters(15)),
      status: 200,
      output: page,
      errors: [],
      risk: 'read',
      items: 'data',
      paged: true,
    },
    create: {
      ...publicDeployments,
      ...createdResponse(Grouping),
      method: 'POST',
      path: base,
      summary: `Create a ${kind}`,
      body: draft,
      errors: [],
      validationMessage: 'first',
    },
    update: {
      ...publicDeployments,
      ...updatedResponse(Grouping),
      method: 'PUT',
      path: `${base}/{id}`,
      summary: `Update a ${kind}; omitted fields are unchanged`,
      params: path,
      body: change,
      errors: [missing],
      validationMessage: 'first',
    },
    delete: {
      ...publicDeployments,
      ...deletedResponse,
      method: 'DELETE',
      path: `${base}/{id}`,
      summary: `Delete a ${kind}; ${whenDeleted}`,
      params: path,
      errors: [missing],
    },
  })
}
