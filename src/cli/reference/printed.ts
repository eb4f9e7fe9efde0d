import * as z from 'zod'
import type { Command } from '../command.ts'
import { itemSchema } from '../shape.ts'
import { Done, own } from './own-outputs.ts'

/** The schema of the document a command prints with --json; null where it prints text. */
export function printedBy(words: string, it: Command): z.ZodType | null {
  const known = own()[words]
  if (known) return known
  const { endpoint } = it
  if (!endpoint) return null
  if (endpoint.method === 'DELETE') return Done
  const item = itemSchema(endpoint)
  if (endpoint.alone !== undefined) return z.union([z.array(item), alone(endpoint.output, endpoint.alone)])
  return endpoint.items === undefined ? item : z.array(item)
}

/** What a list answers where one thing was asked for. */
function alone(output: z.ZodType, field: string): z.ZodType {
  const forms = output instanceof z.ZodUnion ? (output.options as readonly z.ZodType[]) : [output]
  const found = forms.flatMap((it) => (it instanceof z.ZodObject ? (it.shape[field] ?? []) : [])) as z.ZodType[]
  return found[0] ?? z.unknown()
}
