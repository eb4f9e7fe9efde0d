import type { EndpointDefinition } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import { maxJsonSize } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { maxRunsPerPage } from '../values/page-size.ts'
import { runVersionHeader } from './automation-headers.ts'
import { automationId } from './automation-paths.ts'
import { CancelledRun, RunRecord, RunSummary, runStatuses } from './run-records.ts'

const runsOnly = parleyServerOnly(
  'runs',
  'Runs of all automations with filters, and each step with input, output and error. Runs can be cancelled, and repeated as new runs. `Parley-Run-Version: latest` uses the live version. `Parley-Run` has the id of a test run',
)
const dateTime = z.iso.datetime({ offset: true, error: 'Use an ISO 8601 time such as 2026-01-31T09:00:00Z.' })

/** Endpoints for the runs of all automations and the details of one run. Only Parley servers have them. */
export const runEndpoints = {
  listRuns: {
    ...runsOnly,
    method: 'GET',
    path: '/api/user/automate/runs',
    summary: 'List runs of all automations, newest first',
    query: z.object({
      automation_id: automationId.optional().describe('Only runs of this automation'),
      status: z.enum(runStatuses).optional().describe('Only runs with this status'),
      test: z.boolean().optional().describe('Only test runs, or only live ones'),
      since: dateTime.optional().describe('Only runs that started at this time or later, ISO 8601'),
      until: dateTime.optional().describe('Only runs that started before this time, ISO 8601'),
      limit: z.int().min(1).max(maxRunsPerPage).default(20).describe(`Runs per page, 1-${maxRunsPerPage}`),
      cursor: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional()
        .describe('next_cursor of the previous page'),
    }),
    status: 200,
    output: z.object({ data: z.array(RunSummary), next_cursor: z.string().nullable() }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  getRun: {
    ...runsOnly,
    method: 'GET',
    path: '/api/user/automate/runs/{run_id}',
    summary: 'Show a run: steps with input, output and error',
    params: z.object({ run_id: automationId.describe('Id of the run') }),
    query: z.object({
      step: z.string().min(1).max(500).optional().describe('Only steps of this name or path'),
      full: z.boolean().default(false).describe('Show long values and long runs in full'),
    }),
    status: 200,
    output: z.object({ data: RunRecord }),
    errors: ['automate.run_record_not_found'],
    risk: 'read',
    record: 'data',
  },
  rerun: {
    ...runsOnly,
    method: 'POST',
    path: '/api/user/automate/runs/{run_id}/rerun',
    summary: 'Start a new run with the input of an earlier one',
    params: z.object({ run_id: automationId.describe('Id of the run') }),
    body: z.object({
      payload: maxJsonSize(z.unknown(), 256)
        .optional()
        .describe('Output of the trigger, at most 256 KB (default: that of the run)'),
      from: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('First step to run; the steps before it keep their recorded outputs'),
      confirm_side_effects: z
        .boolean()
        .optional()
        .describe('Allow the steps to send real messages and place real calls'),
    }),
    headers: { [runVersionHeader]: 'latest: run the live version instead of the version of the run' },
    status: 200,
    output: z.object({ data: RunSummary }),
    errors: [
      'automate.run_record_not_found',
      'automate.step_not_reached',
      'automate.version_incompatible',
      'automate.side_effects_require_confirmation',
    ],
    risk: 'outside',
    record: 'data',
  },
  cancelRun: {
    ...runsOnly,
    method: 'POST',
    path: '/api/user/automate/runs/{run_id}/cancel',
    summary: 'Cancel a run and those it waits for',
    params: z.object({ run_id: automationId.describe('Id of the run') }),
    status: 200,
    output: z.object({ data: CancelledRun }),
    errors: ['automate.run_record_not_found'],
    isRepeatable: true,
    risk: 'write',
  },
} as const satisfies Record<string, EndpointDefinition>
