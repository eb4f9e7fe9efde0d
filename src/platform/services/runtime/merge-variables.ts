import { givenVariables } from '../../../contract/endpoint/field-schemas.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import * as z from '../../../contract/schema/schema.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'

const schema = z.object({ variables: givenVariables })

/**
 * Merges variables into stored ones, and returns them as JSON. @throws Failure 422 if the result exceeds the limits of
 * variables, which repeated merging could otherwise pass
 */
export function mergeVariables(stored: string, change: Readonly<Record<string, unknown>>): string {
  const merged = validate(schema, { variables: { ...parseJson(stored), ...change } })
  if (!merged.ok) throw new Failure('invalid', { text: merged.first, errors: merged.errors })
  return stringifyJson(merged.value.variables)
}
