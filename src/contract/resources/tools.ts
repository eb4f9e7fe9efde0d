import { resource } from '../endpoint/endpoint.ts'
import { id, isoMicros, messageResponse, messageWithData, text, webAddress } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { httpHeader } from '../values/http-header.ts'

const nameRule =
  'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.'
const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** A name and a value that HTTP can send. Spaces and line breaks around them are removed. */
export const ToolHeader = z.object({
  name: text(255, 1).trim().regex(httpHeader.name, { error: httpHeader.nameRule }).describe('Header name'),
  value: text(2048).trim().regex(httpHeader.value, { error: httpHeader.valueRule }).describe('Header value'),
})
const StaticField = z.object({
  key: text(64, 1).describe('Field name'),
  value: text(2048)
    .nullable()
    .optional()
    .transform((it) => it ?? '')
    .describe('Field value'),
})
/** Types of a parameter. Rows of tools, files of users and the flag --param have them. */
export const parameterTypes = ['string', 'number', 'float', 'boolean'] as const

const Parameter = z.object({
  name: z.string().regex(identifier).meta({ maxLength: 64 }).describe('Parameter name'),
  type: z.enum(parameterTypes).describe('Parameter type'),
  description: text(255, 3).describe('Description of the value for the assistant'),
  required: z.boolean().default(false).describe('Whether the assistant must collect the value'),
})

/** Tool (section 2.2). */
export const Tool = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['http', 'automation']),
  endpoint: z.string(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  body_format: z.enum(['json', 'form']),
  timeout: z.int(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  static_fields: z.array(z.object({ key: z.string(), value: z.string() })),
  schema: z.array(z.object({ name: z.string(), type: z.string(), description: z.string(), required: z.boolean() })),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type Tool = z.output<typeof Tool>

const fields = {
  name: z
    .string()
    .regex(identifier, { error: nameRule })
    .meta({ maxLength: 64 })
    .describe('Name: letters, digits, underscores; at most 64 characters'),
  description: text(255, 1).describe('When and how the assistant should use it'),
  endpoint: webAddress(2048)
    // With its placeholders it is not a valid URI.
    .meta({ format: undefined, pattern: '^[hH][tT]{2}[pP][sS]?://' })
    .describe('URL to call; {param} and {{variable}} are replaced'),
  method: Tool.shape.method.describe('HTTP method'),
  body_format: Tool.shape.body_format.describe('Body encoding for write methods'),
  timeout: z.int().min(1).max(30).describe('Timeout of the endpoint in seconds'),
  headers: z.array(ToolHeader).describe('Headers to send'),
  static_fields: z.array(StaticField).describe('Static fields to send with every call'),
  schema: z.array(Parameter).describe('Parameters that the assistant supplies'),
}
const path = z.object({ id: id.describe('Id of the tool') })

/** Fields that the automation behind a tool controls: an update accepts any value of them and does not save it (section 2.2). */
const conditionalFields = {
  by: 'type',
  values: ['http', 'automation'],
  fields: { endpoint: ['http'], method: ['http'], body_format: ['http'] },
} as const

export const tools = resource('tools', {
  list: {
    method: 'GET',
    path: '/api/user/tools',
    summary: 'List mid-call tools',
    status: 200,
    output: z.array(Tool),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: '',
  },
  get: {
    method: 'GET',
    path: '/api/user/tools/{id}',
    summary: 'Show a mid-call tool',
    params: path,
    status: 200,
    output: Tool,
    errors: ['tools.not_found'],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
  },
  create: {
    method: 'POST',
    path: '/api/user/tools',
    summary: 'Create a mid-call tool',
    body: z.object({
      name: fields.name,
      description: fields.description,
      endpoint: fields.endpoint,
      method: fields.method,
      body_format: fields.body_format.default('json'),
      timeout: fields.timeout.default(10),
      headers: fields.headers.default([]),
      static_fields: fields.static_fields.default([]),
      schema: fields.schema.default([]),
    }),
    status: 201,
    output: messageWithData(Tool),
    errors: [],
    risk: 'write',
    section: '4.22',
    assumed: 'public deployments',
    validationMessage: 'first',
    record: 'data',
  },
  update: {
    method: 'PUT',
    path: '/api/user/tools/{id}',
    summary: 'Update a mid-call tool; omitted fields are unchanged',
    params: path,
    body: z.object(fields).partial(),
    conditionalFields,
    status: 200,
    output: messageWithData(Tool),
    errors: ['tools.not_found'],
    risk: 'write',
    section: '4.2',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  delete: {
    method: 'DELETE',
    path: '/api/user/tools/{id}',
    summary: 'Delete a mid-call tool; assistants lose access to it',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['tools.not_found'],
    risk: 'destructive',
    section: '4.22',
    assumed: 'public deployments',
  },
})
