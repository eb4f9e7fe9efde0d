import { keyNouns } from '../access/scope-table.ts'
import { resource } from '../endpoint/endpoint.ts'
import { onlyParleyServer, parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import { assumed, id, isoMicros, messageResponse, text } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { budgetPattern, budgetPeriods } from '../values/budgets.ts'
import { keyScopes } from '../values/key-scopes.ts'

/** API key (section 2.1). Never includes the token. */
export const ApiKey = z.object({
  id: z.int(),
  name: z.string(),
  last_used_at: isoMicros.nullable(),
  created_at: isoMicros,
})
export type ApiKey = z.output<typeof ApiKey>

const scoped = <T extends z.ZodType>(schema: T): T => assumed(schema, onlyParleyServer, 'key-scopes')

/**
 * What a new key is restricted to. A missing field restricts nothing. The API and the control API create
 * keys with it.
 */
export const keyRestrictions = {
  scope: scoped(
    z
      .enum(keyScopes)
      .optional()
      .describe('What the key may do; write includes read, spend includes write (default: all but approve)'),
  ),
  nouns: scoped(
    z
      .array(z.enum(keyNouns, { error: `The selected nouns is invalid. Use: ${keyNouns.join(', ')}.` }))
      .min(1)
      .optional()
      .describe('Resources that the key may use, such as tools and campaigns (default: all)'),
  ),
  budget: scoped(
    z
      .string()
      .regex(budgetPattern, { error: 'The budget field must be USD per day or month, such as 20/day.' })
      .optional()
      .describe('Most that the key may spend in a UTC day or month, in USD: 20/day, 100/month (default: no limit)'),
  ),
  expires: scoped(
    z
      .string()
      .regex(/^[1-9]\d{0,5}[smhdw]$/, { error: 'The expires field must be a duration such as 30d or 12h.' })
      .optional()
      .describe('Time until the key expires: 30d, 12h (default: never)'),
  ),
}

/** What a key is restricted to, and what is left of its budget. */
export const KeyRestrictions = z.object({
  id: z.int(),
  scope: z.enum(keyScopes).nullable().describe('null for a key with every right but approve'),
  nouns: z.array(z.string()).nullable().describe('Resources that the key may use; null for all'),
  budget: z
    .object({
      amount: z.number().describe('USD'),
      period: z.enum(budgetPeriods),
      left: z.number().describe('USD that the key can still spend in this period'),
      renews_at: isoMicros,
    })
    .nullable(),
  expires_at: isoMicros.nullable(),
  is_expired: z.boolean(),
})
export type KeyRestrictions = z.output<typeof KeyRestrictions>

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
  scopes: {
    ...parleyServerOnly(
      'key-scopes',
      'API keys can have a scope, resources, a budget and an expiry, which `GET /api/user/api-keys/scopes` lists',
    ),
    method: 'GET',
    path: '/api/user/api-keys/scopes',
    summary: 'List scopes, budgets and expiry of API keys',
    status: 200,
    output: z.object({ data: z.array(KeyRestrictions) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  create: {
    method: 'POST',
    path: '/api/user/api-keys',
    summary: 'Create an API key and show its token once',
    body: z.object({ name: text(255, 1).describe('Name of the key'), ...keyRestrictions }),
    status: 201,
    output: z.object({
      message: z.string(),
      api_key: z.object({ name: z.string(), token: z.string(), created_at: isoMicros }),
    }),
    errors: ['keys.exceeds_own'],
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
