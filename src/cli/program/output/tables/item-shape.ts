import type * as z from 'zod'
import { schemaDefinition, unwrap } from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import type { Shape, View } from '../format.ts'

/** Returns the schema of one item in a response: an item of its list, its record, or the whole response. */
export function itemSchema(endpoint: Endpoint): z.ZodType {
  const { items, record, output } = endpoint
  const wholeOutput = schemaDefinition(unwrap(output).base)
  // For a union, use the option that has the field.
  const forms = [wholeOutput, ...(wholeOutput.options ?? []).map((it) => schemaDefinition(unwrap(it).base))]
  const field = (name: string): z.ZodType => forms.find((it) => it.shape?.[name])?.shape?.[name] as z.ZodType
  if (items !== undefined) {
    const list = items === '' ? output : field(items)
    return schemaDefinition(unwrap(list).base).element as z.ZodType
  }
  return record === undefined ? output : field(record)
}

/**
 * Returns the view and schema of the items that a command prints. The schema decides the names that `--fields` takes, the columns of
 * tsv and the fields in the command reference.
 */
export function itemShape(command: {
  readonly endpoint?: Endpoint
  readonly view?: View<never> | undefined
}): Shape<never> {
  return {
    ...(command.endpoint && { schema: itemSchema(command.endpoint) }),
    ...(command.view && { view: command.view }),
  }
}
