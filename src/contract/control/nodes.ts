import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { isoMillis, messageResponse } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Server of a database. A data folder without PostgreSQL has one at most. `status` follows from the heartbeat and the request
 * to drain, and is not stored; scripts read it.
 */
export const ServerNode = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  url: z.string().nullable(),
  version: z.string(),
  status: z
    .enum(['ready', 'draining', 'silent'])
    .describe('silent: without a heartbeat, so that other servers take over its jobs'),
  leases: z
    .int()
    .nullable()
    .describe('Number of jobs that it has taken; null while a node of the database does not answer'),
  heartbeat_age: z.number().describe('Seconds since its last heartbeat'),
  started_at: isoMillis.describe('Real time'),
})
export type ServerNode = z.output<typeof ServerNode>

export const nodes = resource('nodes', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/nodes',
    summary: 'List the servers of the database, longest running first',
    status: 200,
    output: z.object({ data: z.array(ServerNode) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  drain: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/nodes/{id}/drain',
    summary: 'Ask a server to finish its work and stop',
    params: z.object({ id: z.string().min(1).max(300).describe('Id of the server') }),
    status: 200,
    output: messageResponse,
    errors: ['nodes.not_found'],
    risk: 'write',
  },
})
