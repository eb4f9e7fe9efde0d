import * as z from '../../../contract/schema/schema.ts'
import type { CoverageItem } from '../../features/scenario-tests/assistants/coverage.ts'
import type { ScenarioResult } from '../../features/scenario-tests/assistants/run-suite.ts'

const text = z.string()
const count = z.int()

const ToolTest = z.object({
  tool: z.object({ id: z.int(), name: text }),
  request: z
    .object({
      method: text,
      url: text,
      headers: z.record(text, text),
      body: text.nullable(),
      timeout_ms: z.int(),
    })
    .nullable()
    .describe('Null if it cannot be built from the parameters'),
  response: z
    .object({ status: z.int(), duration_ms: z.int(), body: text })
    .nullable()
    .describe('Null if nothing was sent or no response arrived'),
  result: z.looseObject({}).nullable().describe('The result that the assistant receives'),
  error: text.nullable().describe('The error that the assistant receives; null otherwise'),
})

const Result = z.object({
  name: text,
  file: text,
  line: count.nullable(),
  assistant: text,
  channel: z.enum(['chat', 'messaging', 'call']),
  verdict: z.enum(['passed', 'failed', 'flaky', 'stale', 'skipped']),
  reason: text.nullable().describe('Why it is stale or skipped'),
  model: z.enum(['local', 'recorded', 'live', 'remote']),
  runs: count,
  failed_runs: count,
  turns: count,
  latency_ms: count.describe('Slowest reply'),
  cost_usd: z.number().nullable().describe('Cost of one run; null on a remote deployment'),
  replaced: z.array(text).describe('What of the project the local platform has not, and what is used instead'),
  findings: z.array(
    z.object({
      turn: count.nullable().describe('Null for the whole conversation'),
      expectation: text,
      expected: text,
      happened: text,
    }),
  ),
  against: z
    .object({ verdict: text, changed: z.boolean(), differences: z.array(text) })
    .optional()
    .describe('With --against or --against-profile: the other version'),
  transcript: z.array(z.object({ customer: text, assistant: text, calls: z.array(text) })),
}) satisfies z.ZodType<ScenarioResult>
const Coverage = z.object({
  kind: z.enum(['tool', 'function', 'prompt_section', 'automation']),
  assistant: text.nullable(),
  name: text,
  covered: z.boolean(),
}) satisfies z.ZodType<CoverageItem>

const PrintedScenario = z
  .looseObject({ name: text, assistant: text, turns: z.array(z.looseObject({ say: text })) })
  .describe('A scenario, see "parley schema scenario"')

/**
 * Output schemas of commands that test tools and assistants. Each must equal what its command prints, which a test compares
 * (every-form.ts). Scripts read these fields: they are added, not renamed.
 */
export const testSchemas = {
  'tools test': ToolTest,
  'assistants test': z
    .union([z.array(Result), z.array(Coverage)])
    .describe('Results; with --coverage, what the scenarios cover'),
  'conversations to-test': PrintedScenario,
  'calls to-test': PrintedScenario,
}
