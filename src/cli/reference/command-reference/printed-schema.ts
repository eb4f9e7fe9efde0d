import { schemaDefinition } from '../../../contract/endpoint/coerce.ts'
import * as z from '../../../contract/schema/schema.ts'
import type { Command } from '../../program/commandline/command.ts'
import { elementOf } from '../../program/lists/record-fields.ts'
import type { Shape } from '../../program/output/format.ts'
import { itemSchema, itemShape } from '../../program/output/tables/item-shape.ts'
import { findWrite } from '../../program/resources/registry.ts'
import { ChangedRowsSchema, customOutputSchemas, MessageResult } from './custom-output-schemas.ts'

/** Returns the schema of the output of --json; null if a command prints text. */
export function printedSchema(words: string, command: Command): z.ZodType | null {
  const printed = writtenSchema(words, command)
  return command.changesSelected && printed !== null ? z.union([printed, ChangedRowsSchema]) : printed
}

function writtenSchema(words: string, command: Command): z.ZodType | null {
  const printed = resultSchema(words, command)
  const isRecorded = command.endpoint !== undefined && findWrite(command.endpoint.name, words) !== undefined
  return isRecorded && printed !== null && 'extend' in printed
    ? (printed as z.ZodObject).extend({ undo: UndoLost })
    : printed
}

/** Returns the view of a command and the schema of the items that it prints: those of a list, or its record. */
export function printedShape(words: string, command: Command): Shape<never> {
  const printed = printedSchema(words, command)
  const schema = elementOf(printed) ?? printed
  return { ...itemShape(command), ...(schema && { schema }) }
}

/** What JSON output has after a write that cannot be undone. */
const UndoLost = z.literal(false).optional().describe('The change cannot be undone')

function resultSchema(words: string, command: Command): z.ZodType | null {
  const known = customOutputSchemas()[words]
  if (known) return known
  const { endpoint } = command
  if (!endpoint) return null
  if (endpoint.method === 'DELETE') return MessageResult
  const item = itemSchema(endpoint)
  if (endpoint.singleItem !== undefined)
    return z.union([z.array(item), singleItemSchema(endpoint.output, endpoint.singleItem)])
  return endpoint.items === undefined ? item : z.array(item)
}

/** Returns the schema of a list response for a single resource. */
function singleItemSchema(output: z.ZodType, field: string): z.ZodType {
  const forms = [output, ...(schemaDefinition(output).options ?? [])]
  const found = forms.flatMap((it) => schemaDefinition(it).shape?.[field] ?? [])
  return found[0] ?? z.unknown()
}
