import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import * as z from '../../../contract/schema/schema.ts'

/**
 * Returns the JSON Schema (draft 2020-12) of the input of an endpoint: its body, or its query without one. Undefined if
 * it has neither.
 */
export function inputSchema({ name, summary, body, query }: Endpoint): object | undefined {
  const schema = body ?? query
  return (
    schema && { title: name, description: summary, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) }
  )
}

/** Returns the JSON Schema of the response of an endpoint. */
export const outputSchema = ({ name, output }: Endpoint): object => ({
  title: name,
  description: `Response of ${name}`,
  ...z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }),
})
