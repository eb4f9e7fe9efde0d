import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, text } from '../endpoint/field-schemas.ts'
import { createdResponse, deletedResponse, listResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'

/** Kinds of external accounts that automations use (section 4.20). Rows of connections have them. */
export const connectionKinds = ['spreadsheet', 'mail', 'calendar-a', 'calendar-b', 'crm-b', 'custom'] as const

export const AccountConnection = z.object({
  id: z.int(),
  kind: z.string(),
  name: z.string(),
  status: z.enum(['active', 'expired']),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type AccountConnection = z.output<typeof AccountConnection>

const account = { account: id.describe('Id of the account') }
const path = z.object({ ...account, id: id.describe('Id of the connection') })

/**
 * External accounts that an account has connected for its automations. On public deployments the web application
 * creates them; here the control interface does.
 */
export const connections = resource('connections', {
  list: {
    ...controlEndpoint,
    ...listResponse(AccountConnection),
    method: 'GET',
    path: '/control/accounts/{account}/connections',
    summary: 'List connections of an account',
    params: z.object(account),
    errors: ['accounts.not_found'],
  },
  add: {
    ...controlEndpoint,
    ...createdResponse(AccountConnection),
    method: 'POST',
    path: '/control/accounts/{account}/connections',
    summary: 'Create or reactivate a connection',
    params: z.object(account),
    body: z.object({
      kind: z.enum(connectionKinds).describe('Kind of service'),
      name: text(64, 1)
        .regex(/^[\w-]+$/, { error: 'The name field has letters, digits, - and _ only.' })
        .optional()
        .describe('Name that automations use (default: its kind)'),
      secret: z.record(z.string(), z.unknown()).default({}).describe('Credentials of the connection, by kind'),
    }),
    errors: ['accounts.not_found', 'connections.other_kind'],
  },
  remove: {
    ...controlEndpoint,
    ...deletedResponse,
    method: 'DELETE',
    path: '/control/accounts/{account}/connections/{id}',
    summary: 'Delete a connection',
    params: path,
    errors: ['accounts.not_found', 'connections.not_found'],
  },
  break: {
    ...controlEndpoint,
    ...createdResponse(AccountConnection),
    method: 'POST',
    path: '/control/accounts/{account}/connections/{id}/break',
    summary: 'Expire a connection',
    params: path,
    status: 200,
    errors: ['accounts.not_found', 'connections.not_found'],
  },
})
