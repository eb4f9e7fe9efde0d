import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import { count, isoMicros, messageWithData } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** What an account does on its own, and whether all of it is stopped. */
export const Activity = z.object({
  stopped_at: isoMicros.nullable().describe('null while nothing is stopped'),
  campaigns: count.describe('Campaigns that are running or scheduled'),
  runs: count.describe('Runs of automations that are running or waiting'),
  calls: count.describe('Outbound calls in progress'),
  waiting: count.describe('Messages, SMS and calls that wait for the contact hours'),
  finishing: count.describe('Steps, messages and calls that began before and have not ended'),
})
export type Activity = z.output<typeof Activity>

const stopping = parleyServerOnly(
  'stop',
  'Everything that an account does on its own can be stopped at once, and resumed: `POST /api/user/stop`',
)

const referrer = z.object({
  id: z.union([z.int(), z.string()]),
  name: z.string().nullable(),
  phone_number: z.string().optional(),
  display_name: z.string().optional(),
  type: z.string().optional(),
  status: z.string().optional(),
  is_webhook_active: z.boolean().optional(),
})

/**
 * A reference of a resource to another, with what the fields of the referring resource say about its use. It is a `Link` of
 * resource-links.ts on the wire.
 */
const FoundReference = z.object({
  from: z
    .string()
    .describe('Kind of the resource that has the reference: assistants, automate, campaigns, senders, tools'),
  item: referrer.describe('The resource that has the reference'),
  path: z.string().describe('Place of the reference: tool_ids[1], step_2.from'),
  by: z.string().describe('Field of the reference without positions; step or address in a step or a URL'),
  to: z.string().describe('Kind of the referenced resource'),
  id: z
    .union([z.int(), z.string()])
    .nullable()
    .describe('Id or name of the referenced resource; null for an expression'),
  expression: z.string().optional().describe('Expression whose value is the id when the automation runs'),
  sender: z.union([z.int(), z.string()]).optional().describe('Sender of a referenced template'),
  step: z.string().optional().describe('Display name of the step'),
  address: z.string().optional().describe('URL that references an automation'),
})
export type FoundReference = z.output<typeof FoundReference>

/** Questions and results name these. */
const activityProof = {
  'data.campaigns': 'count',
  'data.runs': 'count',
  'data.calls': 'count',
  'data.waiting': 'count',
  'data.finishing': 'count',
} as const

export const user = resource('user', {
  me: {
    method: 'GET',
    path: '/api/user/me',
    summary: 'Show the account and its balance',
    status: 200,
    output: z.object({ name: z.string(), email: z.string(), total_balance: z.number() }),
    errors: [],
    risk: 'read',
    section: '5',
    assumed: 'public deployments',
  },
  references: {
    ...parleyServerOnly(
      'reference-search',
      'What references a resource is found with one request, instead of reading every list and definition',
    ),
    method: 'GET',
    path: '/api/user/references',
    summary: 'List the references to a resource',
    query: z.object({
      kind: z.string().min(1).max(40).describe('Kind of the resource, such as tools, assistants or automate'),
      id: z.string().min(1).max(64).describe('Id of the resource'),
      name: z.string().max(1000).optional().describe('Name of the resource, by which steps may reference it'),
    }),
    status: 200,
    output: z.object({
      data: z.array(FoundReference).describe('References to it, and those of assistants to the tools among them'),
      searched: z.array(z.string()).describe('Kinds of resources in which references were searched'),
    }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  activity: {
    ...stopping,
    method: 'GET',
    path: '/api/user/activity',
    summary: 'Show what runs, and whether all of it is stopped',
    status: 200,
    output: z.object({ data: Activity }),
    errors: [],
    risk: 'read',
    record: 'data',
    successProof: { ...activityProof, 'data.stopped_at': 'text or null' },
  },
  stop: {
    ...stopping,
    method: 'POST',
    path: '/api/user/stop',
    summary: 'Stop campaigns, runs, calls and sends until resumed',
    status: 200,
    output: messageWithData(Activity),
    errors: [],
    risk: 'destructive',
    onlyStops: true,
    isRepeatable: true,
    record: 'data',
    successProof: { ...activityProof, 'data.stopped_at': 'text' },
  },
  resume: {
    ...stopping,
    method: 'POST',
    path: '/api/user/resume',
    summary: 'Continue everything that was stopped',
    body: z.object({
      stopped_at: isoMicros
        .optional()
        .describe('Only if this is still the stop, as activity reports it (default: whichever stop it is)'),
    }),
    status: 200,
    output: messageWithData(Activity),
    errors: ['user.stop_changed'],
    risk: 'write',
    isRepeatable: true,
    record: 'data',
    successProof: { 'data.stopped_at': 'null' },
  },
})
