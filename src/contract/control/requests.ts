import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { maxItems } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Request in the log of a local platform. Lines of `requests.ndjson` in data folders have this form (request-log.ts): fields
 * are added as optional ones, and not renamed.
 */
export const LoggedRequest = z.object({
  id: z.int(),
  at: z.string().describe('Real time, ISO 8601'),
  platform_at: z.string().optional().describe('Time of the platform, ISO 8601; missing in entries of earlier versions'),
  method: z.string(),
  path: z.string(),
  failed_run: z.string().optional().describe('Id of the run of an automation whose failure is the response'),
  status: z.int(),
  ms: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  answer: z.string(),
  account: z.int().nullable().optional().describe('Id of the account; null without a valid key'),
})
export type LoggedRequest = z.output<typeof LoggedRequest>

export const requests = resource('requests', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/requests',
    summary: 'List requests to the server, oldest first',
    query: z.object({
      method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional().describe('Only this method'),
      path: z.string().max(255).optional().describe('Only paths that contain this'),
      status: z
        .string()
        .regex(/^[1-5](\d\d|xx)$/, { error: 'The status field must be a status such as 404, or 4xx.' })
        .optional()
        .describe('Only this status: 404, 4xx'),
      unmask: z.boolean().optional().describe('Show phone numbers in full'),
      after: z.int().min(0).optional().describe('Only those after the one with this id'),
      limit: maxItems(50).describe('Maximum number: the newest, or with "after" the oldest'),
    }),
    oldParameters: { most: 'limit' },
    status: 200,
    output: z.object({ data: z.array(LoggedRequest) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
})
