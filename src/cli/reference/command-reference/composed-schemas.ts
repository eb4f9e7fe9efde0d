import type * as z from 'zod'
import { composedCalls } from '../../../contract/endpoint/composed-calls.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { endpoints } from '../../../contract/resources/index.ts'
import { itemSchema } from '../../program/output/tables/item-shape.ts'

/** Returns the output schemas of commands that find one resource in its list, by command. */
export const composedSchemas = (): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    composedCalls.map(({ command, of }) => [
      command.replace(/^parley | <id>$/g, ''),
      itemSchema(endpoints.find((it) => it.name === of) as Endpoint),
    ]),
  )
