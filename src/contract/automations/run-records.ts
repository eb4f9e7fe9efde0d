import { isoMillis } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { RunBrief, TestedStep } from './automation-records.ts'

/**
 * Statuses that a list of runs can be filtered by. `CANCELLED` is never stored: such a run is a `FAILED` one with a time
 * of cancellation.
 */
export const runStatuses = [...RunBrief.shape.status.options, 'CANCELLED'] as const

/** Run in a list of the runs of all automations (capability `runs`). */
export const RunSummary = z.object({
  id: z.string(),
  automation_id: z.string(),
  automation_name: z.string(),
  version: z.int().nullable().describe('Number of the version it runs; null for a draft'),
  status: z.enum(runStatuses),
  testing: z.boolean().describe('Whether it is a test run'),
  start_time: isoMillis,
  end_time: isoMillis.nullable(),
  duration_ms: z
    .int()
    .nullable()
    .describe(
      'Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished',
    ),
  error: z.string().nullable().describe('Why it failed'),
})
export type RunSummary = z.output<typeof RunSummary>

/** Result of cancelling a run. */
export const CancelledRun = RunSummary.extend({
  also_cancelled: z
    .array(z.string())
    .describe('Ids of runs that it waited for, directly or through other runs, and that were cancelled too'),
})
export type CancelledRun = z.output<typeof CancelledRun>

const RunIteration = z.object({
  index: z.int().describe('1 for the first'),
  item: z.unknown(),
  status: TestedStep.shape.status.nullable().describe('Null when it has not started'),
})

/** Execution of a step in a run. A step of a loop has one for each iteration. */
export const RunStepRecord = z.object({
  name: z.string(),
  path: z.string().describe('Name with the loop iterations around it: step_5[3]/step_6'),
  display_name: z.string().nullable(),
  type: z.string().nullable().describe('CODE, PIECE, BRANCH, LOOP_ON_ITEMS'),
  status: z
    .enum([...TestedStep.shape.status.options, 'RUNNING', 'WAITING'])
    .describe('WAITING: waits for its next attempt'),
  classification: TestedStep.shape.classification.nullable(),
  attempts: z.int().describe('Attempts that were started'),
  started_at: isoMillis,
  duration_ms: z
    .int()
    .nullable()
    .describe(
      'Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished',
    ),
  wakes_at: isoMillis.nullable().describe('Time when a waiting step continues; null if it does not wait for a time'),
  called_run: z.string().nullable().describe('Id of the run of another automation that it waits for'),
  input: z.unknown().describe('Input of its last attempt; null if unknown'),
  output: z.unknown(),
  error: z.string().nullable(),
  earlier_errors: z
    .array(z.object({ attempt: z.int(), failed_at: isoMillis, error: z.string() }))
    .describe('Errors of the attempts before the last one: the first 10, each up to 1000 characters'),
  error_line: z.object({ number: z.int(), text: z.string() }).nullable().describe('Line of code that threw the error'),
  branches: z.array(z.string()).nullable().describe('Names of the branches it took: true or false for a BRANCH'),
  iterations: z.array(RunIteration).nullable().describe('Items of a loop'),
  unresolved: z.array(z.string()).describe('Expressions that resolved to nothing'),
  log: z.array(z.string()).describe('Lines it wrote to the console'),
})
export type RunStepRecord = z.output<typeof RunStepRecord>

/** Run with its steps. Secrets are hidden. Long values are shortened unless the request sets `full`. */
export const RunRecord = RunSummary.extend({
  trigger: z.unknown().describe('Payload of the trigger'),
  response: z.unknown().describe('Response of the run: status, headers and body; null if it sent none'),
  steps: z.array(RunStepRecord),
  steps_omitted: z.int().describe('Number of omitted steps of a long run'),
  shortened: z.boolean().describe('Whether values were shortened or steps omitted; full=true shows everything'),
})
export type RunRecord = z.output<typeof RunRecord>
