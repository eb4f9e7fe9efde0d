import * as z from '../../../contract/schema/schema.ts'

const text = z.string()

/** Output schema of `tools test`. */
export const toolTestSchema = z.object({
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
