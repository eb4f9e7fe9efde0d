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
