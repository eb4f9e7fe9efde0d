import * as z from '../../../../contract/schema/schema.ts'

const values = z.record(z.string(), z.unknown())

/**
 * A test of an automation in a file: what starts it, the outputs of steps that reach other systems, and what it expects.
 * Users commit such files: fields are added, not renamed.
 */
export const AutomationTest = z.strictObject({
  name: z.string().min(1).optional().describe('Name of the test (default: name of the file)'),
  automation: z.string().min(1).describe('Name of the automation'),
  definition: z
    .string()
    .min(1)
    .optional()
    .describe('File with the definition, relative to this file (default: the automation of the project or platform)'),
  payload: z.unknown().describe('Output of the trigger'),
  mocks: values.optional().describe('Outputs of steps that are not run, by name or path such as step_5[2]/step_6'),
  failures: z.record(z.string(), z.string()).optional().describe('Errors of steps that are not run, by name or path'),
  expect: z.strictObject({
    status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED']).describe('How the run ends'),
    error: z.string().optional().describe('Text in the error of the step that failed'),
    steps: z.array(z.string()).optional().describe('Paths of the steps that run, in order'),
    inputs: values.optional().describe('Inputs of steps, by path. Objects may have more fields'),
    outputs: values.optional().describe('Outputs of steps, by path. Objects may have more fields'),
    response: z
      .strictObject({ status: z.number().optional(), body: z.unknown().optional() })
      .optional()
      .describe('Response of the run'),
  }),
})
export type AutomationTest = z.output<typeof AutomationTest>

/** A test with its place. */
export interface FiledTest extends AutomationTest {
  readonly name: string
  readonly file: string
  /** Absolute path of the file. */
  readonly path: string
  /** Returns the line of a field; null if it is unknown. */
  readonly lineOf: (field: string) => number | null
}
