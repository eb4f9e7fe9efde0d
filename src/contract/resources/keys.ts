import { resource } from '../endpoint/endpoint.ts'
import { id, isoMicros, messageResponse, text } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** API key (section 2.1). Never includes the token. */
export const ApiKey = z.object({
  id: z.int(),
  name: z.string(),
  last_used_at: isoMicros.nullable(),
  created_at: isoMicros,
})
export type ApiKey = z.output<typeof ApiKey>

export const keys = resource('keys', {
  list: {
    method: 'GET',
    path: '/api/user/api-keys',
    summary: 'List API keys (metadata only)',
    status: 200,
    output: z.object({ api_keys: z.array(ApiKey) }),
    errors: [],
    risk: 'read',
    section: '4.1',
    items: 'api_keys',
  },
  create: {
    method: 'POST',
    path: '/api/user/api-keys',
    summary: 'Create an API key and show its token once',
    body: z.object({ name: text(255, 1).describe('Name of the key') }),
    status: 201,
    output: z.object({
      message: z.string(),
      api_key: z.object({ name: z.string(), token: z.string(), created_at: isoMicros }),
    }),
    errors: [],
    risk: 'write',
    byPerson: true,
    returnsSecret: true,
    section: '5',
    assumed: 'public deployments',
    validationMessage: 'first',
    record: 'api_key',
    successProof: { 'api_key.token': 'id' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/user/api-keys/{id}',
    summary: 'Delete an API key; its clients lose access',
    params: z.object({ id: id.describe('Id of the key') }),
    status: 200,
    output: messageResponse,
    errors: ['keys.not_found'],
    risk: 'destructive',
    byPerson: true,
    section: '5',
    assumed: 'public deployments',
  },
})
