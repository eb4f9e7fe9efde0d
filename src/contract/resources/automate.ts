import { publishHeader, runVersionHeader } from '../automations/automation-headers.ts'
import { Flow } from '../automations/automation-node.ts'
import {
  automationId,
  automationParams,
  detailsHeaders,
  flowsPath,
  restoreErrors,
  versionGuardHeaders,
} from '../automations/automation-paths.ts'
import {
  Automation,
  AutomationBrief,
  AutomationTemplate,
  BuiltAutomation,
  Restored,
  Run,
  RunBrief,
} from '../automations/automation-records.ts'
import { runEndpoints } from '../automations/run-endpoints.ts'
import { versionEndpoints } from '../automations/version-endpoints.ts'
import { resource } from '../endpoint/endpoint.ts'
import { onlyParleyServer, parleyServerOnly, publicDeployments } from '../endpoint/endpoint-origins.ts'
import { assumed, dataList, id, maxJsonSize, messageResponse, text } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Maximum number of automations in one page of `listDefinitions`. Commands that read all automations ask for it: a larger
 * value is refused by platforms of other versions.
 */
export const maxListedDefinitions = 500

const fields = {
  name: text(255, 1).describe('Name, at most 255 characters'),
  // The depth is not limited here, because the engine checks it and has a specific message.
  flow: maxJsonSize(Flow, 1024, Infinity).describe('Definition, at most 1 MB: {trigger, steps}'),
  sample: maxJsonSize(z.record(z.string(), z.unknown()), 256).describe('Trigger input for the test, at most 256 KB'),
  assistant_id: id.describe('Id of the assistant whose events trigger it'),
  confirm_side_effects: z.boolean().describe('Allow the test to send real messages and place real calls'),
}

/** Errors that reject a definition before its test (section 7.5). */
const rejections = [
  'automate.side_effects_require_confirmation',
  'automate.no_steps',
  'automate.invalid_definition',
  'automate.unsupported_trigger',
  'automate.assistant_required',
  'automate.assistant_not_found',
  'automate.binding_conflict',
  'automate.needs_connection',
  'automate.needs_reconnection',
  'automate.import_failed',
  'automate.publish_failed',
  'automate.create_failed',
] as const

const change = z
  .object({ ...fields, enabled: z.boolean().describe('Enable or disable the automation') })
  .partial()
  .superRefine((body, ctx) => {
    if (body.name === undefined && body.enabled === undefined && body.flow === undefined)
      ctx.addIssue({
        code: 'custom',
        path: ['name'],
        message: 'The name field is required when none of enabled / flow are present.',
      })
  })

export const automate = resource('automate', {
  create: {
    method: 'POST',
    path: flowsPath,
    summary: 'Create, test and enable an automation',
    body: z.object({
      name: fields.name,
      flow: fields.flow,
      sample: fields.sample.optional(),
      assistant_id: fields.assistant_id.optional(),
      bind_webhook: z.literal('conversation_ended').optional().describe('Assistant event to bind a webhook trigger to'),
      confirm_side_effects: fields.confirm_side_effects.optional(),
    }),
    status: 201,
    alsoStatus: { 200: 'created, but the test failed' },
    headers: detailsHeaders,
    output: BuiltAutomation,
    errors: rejections,
    successProof: { automation_id: 'id' },
    risk: 'outside',
    section: '4.17',
    assumed: 'method and path: public deployments',
  },
  list: {
    ...publicDeployments,
    method: 'GET',
    path: flowsPath,
    summary: 'List automations',
    headers: detailsHeaders,
    status: 200,
    output: dataList(AutomationBrief),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  get: {
    method: 'GET',
    path: `${flowsPath}/{id}`,
    summary: 'Show one automation and its definition',
    params: automationParams,
    query: z.object({
      include_secrets: assumed(z.boolean().default(false).describe('Show keys and tokens instead of masking them')),
      draft: assumed(
        z.boolean().default(false).describe('Show the draft instead of the live definition'),
        onlyParleyServer,
        'when-tested',
      ),
    }),
    status: 200,
    output: z.object({ data: Automation }),
    errors: ['automate.not_found'],
    risk: 'read',
    section: '4.18',
    record: 'data',
  },
  listDefinitions: {
    ...parleyServerOnly(
      'automation-definitions',
      'Automations are listed in pages with their definitions, so that commands about all references send fewer requests',
    ),
    method: 'GET',
    path: '/api/user/automate/definitions',
    summary: 'List automations with their definitions, oldest first',
    query: z.object({
      limit: z
        .int()
        .min(1)
        .max(maxListedDefinitions)
        .default(100)
        .describe(`Automations per page, 1-${maxListedDefinitions}; fewer if their definitions are large`),
      cursor: z
        .string()
        .regex(/^\d{1,16}\.[\w-]{1,64}$/)
        .optional()
        .describe('next_cursor of the previous page'),
    }),
    status: 200,
    output: z.object({ data: z.array(Automation), next_cursor: z.string().nullable() }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  update: {
    ...publicDeployments,
    method: 'PUT',
    path: `${flowsPath}/{id}`,
    summary: 'Rename, enable, disable or redefine an automation',
    params: automationParams,
    body: change,
    headers: {
      ...detailsHeaders,
      ...versionGuardHeaders,
      [publishHeader]:
        'when-tested: save a new definition as a draft, test it once, and publish it only if the test passes',
    },
    status: 200,
    output: z.union([
      z.object({
        data: z.object({ id: z.string(), name: z.string(), status: Automation.shape.status, updated: z.boolean() }),
      }),
      BuiltAutomation.omit({ webhook_url: true }),
    ]),
    errors: ['automate.not_found', 'automate.version_changed', ...rejections],
    isRepeatable: ({ flow }) => flow === undefined,
    risk: 'outside',
    onlyStops: ({ id: _, ...change }) => Object.keys(change).join() === 'enabled' && change.enabled === false,
  },
  delete: {
    ...publicDeployments,
    method: 'DELETE',
    path: `${flowsPath}/{id}`,
    summary: 'Delete an automation and release its assistant',
    params: automationParams,
    status: 200,
    output: messageResponse,
    errors: ['automate.not_found'],
    risk: 'destructive',
  },
  restore: {
    method: 'POST',
    path: `${flowsPath}/{id}/restore`,
    summary: 'Restore the previously published version',
    params: automationParams,
    headers: { ...detailsHeaders, ...versionGuardHeaders },
    status: 200,
    output: Restored,
    errors: [
      'automate.missing',
      'automate.no_previous_version',
      'automate.rollback_failed',
      'automate.restored_as_draft',
      ...restoreErrors,
    ],
    risk: 'severe',
    section: '4.19',
  },
  ...versionEndpoints,
  runs: {
    ...publicDeployments,
    method: 'GET',
    path: `${flowsPath}/{id}/runs`,
    summary: 'List runs of an automation, or show one with its steps',
    params: automationParams,
    query: z.object({
      limit: z.int().min(1).max(20).default(10).describe('Maximum number of runs, newest first, 1-20'),
      run_id: z.string().min(1).optional().describe('Id of a single run to show'),
    }),
    headers: detailsHeaders,
    status: 200,
    output: z.union([z.object({ runs: z.array(RunBrief) }), z.object({ run: Run })]),
    errors: ['automate.not_found', 'automate.run_not_found'],
    risk: 'read',
    items: 'runs',
    singleItem: 'run',
  },
  ...runEndpoints,
  retry: {
    ...publicDeployments,
    method: 'POST',
    path: `${flowsPath}/{id}/runs/{run_id}/retry`,
    summary: 'Resume a failed run at the failed step',
    params: z.object({ ...automationParams.shape, run_id: automationId.describe('Id of the run') }),
    headers: {
      [runVersionHeader]: 'latest: continue on the live version instead of the version that the run started on',
    },
    status: 200,
    output: z.object({ run_id: z.string(), status: RunBrief.shape.status, note: z.string() }),
    errors: [
      'automate.missing',
      'automate.run_missing',
      'automate.retry_no_op',
      'automate.retry_failed',
      'automate.version_incompatible',
    ],
    successProof: { run_id: 'id' },
    risk: 'outside',
  },
  templates: {
    method: 'GET',
    path: '/api/user/automate/templates',
    summary: 'List automation templates',
    headers: detailsHeaders,
    status: 200,
    output: dataList(AutomationTemplate),
    errors: [],
    risk: 'read',
    section: '4.20',
    items: 'data',
  },
  apply: {
    ...publicDeployments,
    method: 'POST',
    path: '/api/user/automate/templates/{key}',
    summary: 'Create an automation from a template',
    params: z.object({ key: z.string().min(1).describe('Key of the template') }),
    body: z.object({
      params: maxJsonSize(z.record(z.string(), z.unknown()), 64)
        .optional()
        .describe('Parameters of the template, at most 64 KB'),
      assistant_id: fields.assistant_id.optional(),
      name: fields.name.optional(),
      confirm_side_effects: fields.confirm_side_effects.optional(),
    }),
    status: 201,
    alsoStatus: { 200: 'created, but the test failed' },
    headers: detailsHeaders,
    output: BuiltAutomation,
    errors: ['automate.template_not_found', 'automate.missing_params', 'automate.invalid_param_choice', ...rejections],
    successProof: { automation_id: 'id' },
    risk: 'outside',
  },
})
