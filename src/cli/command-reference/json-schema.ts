import * as z from 'zod'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'

/** JSON Schema (draft 2020-12) of what an endpoint is sent: its body, or the query of one without. Undefined when it takes neither. */
export function inputSchema({ name, summary, body, query }: Endpoint): object | undefined {
  const schema = body ?? query
  return (
    schema && { title: name, description: summary, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) }
  )
}

/** JSON Schema of what an endpoint answers. */
export const outputSchema = ({ name, output }: Endpoint): object => ({
  title: name,
  description: `Response of ${name}`,
  ...z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }),
})
