import * as z from '../../../contract/schema/schema.ts'
import type { Finding as LintFinding } from '../../../engine/analysis/lint-steps.ts'

const text = z.string()
const maybe = text.nullable()

const Change = z.object({
  path: text,
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  hidden: z.boolean(),
})
const stepPlace = { step: text, displayName: text, place: text }
/**
 * The steps that differ between two definitions, as JSON output has them. It must equal `DefinitionDiff` of
 * engine/analysis/diff.ts.
 */
export const DifferenceSchema = z.object({
  added: z.array(z.object({ ...stepPlace, type: text })),
  removed: z.array(z.object({ ...stepPlace, type: text })),
  moved: z.array(z.object({ ...stepPlace, from: text })),
  changed: z.array(z.object({ step: text, displayName: text, fields: z.array(Change) })),
})

/**
 * JSON of a test that runs on this computer: its end, and what each step did. It must equal `SimulatedRun` of
 * engine/runs/simulate-run.ts.
 */
export const RehearsalSchema = z.object({
  status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED']),
  steps: z.array(
    z.object({
      path: text,
      name: text,
      status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED', 'MOCKED', 'GENERATED', 'NOT_RUN']),
      input: z.unknown().optional().describe('Input of the step, secrets masked'),
      output: z.unknown().optional(),
      error: maybe,
      classification: maybe,
      unresolved: z.array(text),
      log: z.array(text),
    }),
  ),
  response: z.looseObject({ status: z.number(), body: z.unknown().optional() }).nullable(),
})

/** JSON of one finding of the check of a definition. */
export const LintSchema = z.object({
  level: z.enum(['error', 'warning']),
  rule: text,
  step: maybe,
  path: text,
  message: text,
  piece: maybe,
}) satisfies z.ZodType<LintFinding>
