import { onlyParleyServer } from '../endpoint/endpoint-origins.ts'
import { assumed, isoMillis } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { AutomationNode } from './automation-node.ts'

/** The events of an assistant, as the API names them (section 6.3). Rows of slots, versions and deliveries have them. */
export const bindingTypes = ['post_call', 'inbound', 'conversation', 'conversation_ended'] as const

/** Event of an assistant that is delivered to one automation or webhook (section 6.3). */
export type SlotEvent = (typeof bindingTypes)[number]

/** Returns whether an event is one of an assistant. */
export const isSlotEvent = (event: unknown): event is SlotEvent => bindingTypes.some((it) => it === event)
/** Source of fields that only a Parley server sends, and only when the request asks for details. */
const detailsOnly = `${onlyParleyServer}, with Parley-Details`

const states = z.enum(['enabled', 'disabled'])

const Binding = z.object({ type: z.enum(bindingTypes), assistant_id: z.int(), assistant_name: z.string() }).nullable()

/** Automation (section 2.10). */
export const Automation = z.object({
  id: z.string(),
  name: z.string(),
  status: states,
  updated_at: isoMillis,
  definition: AutomationNode,
  binding: Binding,
})
export type Automation = z.output<typeof Automation>

/** Number of live runs of an automation in which a list counts the failures. The description of `recent_runs` states it. */
export const countedRuns = 100

/** Automation as the list shows it, with its last run. */
export const AutomationBrief = Automation.pick({ id: true, name: true, status: true, binding: true }).extend({
  last_run: assumed(
    z
      .object({
        id: z.string(),
        status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING', 'CANCELLED']),
        start_time: isoMillis,
        error: z.string().nullable().describe('Why it failed'),
      })
      .nullable()
      .optional()
      .describe('Newest live run; null if there is none'),
    detailsOnly,
  ),
  recent_runs: assumed(
    z.int().optional().describe(`Number of its newest live runs, at most ${countedRuns}`),
    detailsOnly,
  ),
  recent_failures: assumed(z.int().optional().describe('How many of these runs failed'), detailsOnly),
})
export type AutomationBrief = z.output<typeof AutomationBrief>

/** Step of the test run before an automation is published. Scripts read the words: they are added, not renamed. */
export const TestedStep = z.object({
  name: z.string(),
  status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED']),
  classification: z.enum(['ok', 'paused_at_delay', 'wiring_error', 'missing_connection', 'missing_record']),
  error: z.string().nullable(),
})
export type TestedStep = z.output<typeof TestedStep>

/** Step of a run, with details that only a Parley server sends. */
export const RunStep = TestedStep.extend({
  path: assumed(
    z.string().optional().describe('Name with the loop iterations around it: step_5[3]/step_6'),
    detailsOnly,
  ),
  attempts: assumed(z.int().optional().describe('Number of attempts'), detailsOnly),
  started_at: assumed(isoMillis.optional(), detailsOnly),
  duration_ms: assumed(
    z.int().nullable().optional().describe('Milliseconds from start to end; null while it waits'),
    detailsOnly,
  ),
  unresolved: assumed(z.array(z.string()).optional().describe('Expressions that resolved to nothing'), detailsOnly),
  log: assumed(z.array(z.string()).optional().describe('Lines it wrote to the console'), detailsOnly),
})
export type RunStep = z.output<typeof RunStep>

/** Response to create, to apply, and to an update with a definition. */
export const BuiltAutomation = z.object({
  automation_id: z.string(),
  webhook_url: z.string().nullable(),
  // `disabled` is assumed: tested and published, but disabled, because it was disabled before or the request asked for
  // it.
  status: z.enum(['active', 'active_untested', 'test_failed', 'disabled']),
  test: z.object({
    run_status: z.enum(['SUCCEEDED', 'PAUSED', 'FAILED', 'not_tested', 'no_run']),
    steps: z.array(RunStep),
  }),
  response: z
    .union([z.record(z.string(), z.unknown()), z.string(), z.null()])
    .describe('Response of a synchronous test'),
  binding: z.object({ type: z.enum(bindingTypes), assistant_id: z.int(), bound: z.boolean() }).nullable(),
})
export type BuiltAutomation = z.output<typeof BuiltAutomation>

/** Answer to the restoration of an earlier version. */
export const Restored = z.object({
  automation_id: z.string(),
  name: z.string(),
  status: states,
  restored_version_id: z.string(),
  note: z.string(),
})
export type Restored = z.output<typeof Restored>

const names = z.array(z.string())

/** Published version of an automation. Only on a Parley server: others can only restore the previous version. */
export const AutomationVersion = z.object({
  number: z.int().describe('1 for the first published version'),
  id: z.string(),
  published_at: isoMillis,
  live: z.boolean().describe('Whether it is the live version'),
  restored_from: z.int().nullable().describe('Number of the version that it restored'),
  engine: z.int().optional().describe('Generation of the engine that it was published for'),
  runs: z.int().optional().describe('Live runs of this version, of those that the platform keeps'),
  failures: z.int().optional().describe('Live runs of this version that failed'),
  changes: z
    .object({
      added: names,
      removed: names,
      moved: names,
      changed: z.array(z.object({ step: z.string(), fields: names })),
    })
    .nullable()
    .describe('Names of steps that differ from the previous version; null for the first'),
})
export type AutomationVersion = z.output<typeof AutomationVersion>

/** Published version with its definition. If the bound assistant was deleted, the binding has no assistant name. */
export const PublishedVersion = AutomationVersion.omit({
  changes: true,
  engine: true,
  runs: true,
  failures: true,
}).extend({
  name: z.string().describe('Name of the automation'),
  definition: AutomationNode,
  binding: z
    .object({
      type: z.enum(bindingTypes),
      assistant_id: z.int(),
      assistant_name: z.string().nullable().describe('Null when the assistant no longer exists'),
    })
    .nullable()
    .describe('Binding of the version while it is live'),
})
export type PublishedVersion = z.output<typeof PublishedVersion>

/** Run as the list shows it, without its steps. */
export const RunBrief = z.object({
  id: z.string(),
  status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING']),
  start_time: z.string(),
  duration_ms: z.int().nullable(),
  testing: assumed(z.boolean().optional().describe('Whether it was a test'), detailsOnly),
})
/** Run with its steps. */
export const Run = RunBrief.extend({
  steps: z.array(RunStep),
  error: assumed(z.string().nullable().optional().describe('Why it failed'), detailsOnly),
})
export type Run = z.output<typeof Run>

/** Parameter of a template, as the catalogue describes it. */
export const TemplateParam = z.object({
  key: z.string(),
  label: z.string(),
  description: z.string(),
  required: z.boolean(),
  default: z.string().optional().describe('Default value'),
  example: z.string().optional().describe('Example value, never applied'),
  auto: assumed(z.string().optional().describe('Source of the default value, such as assistant_timezone')),
  choices: assumed(z.array(z.string()).optional().describe('Allowed values'), detailsOnly),
})
export type TemplateParam = z.output<typeof TemplateParam>

/** Automation template (section 2.11). */
export const AutomationTemplate = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  use_when: z.string(),
  binding: z.enum(bindingTypes).exclude(['conversation']).nullable(),
  requires_assistant: z.boolean(),
  required_connections: z.array(z.string()),
  side_effects: z.boolean(),
  params: z.array(TemplateParam),
  test_sample: assumed(z.record(z.string(), z.unknown()).optional()),
})
export type AutomationTemplate = z.output<typeof AutomationTemplate>
