import type * as z from 'zod'
import { schemaDefinition } from '../../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { readOnlyFields } from '../../../contract/mechanics/read-only-fields.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { BodySources } from '../commandline/field-flags.ts'
import { usageError } from '../errors/usage-error.ts'
import { isFieldPath } from './field-path.ts'

/** Commands that set a field which is otherwise read-only. */
const setterHints: Readonly<Record<string, string>> = {
  'assistants.update status': 'Run parley assistants activate or parley assistants deactivate.',
  'assistants.create status': 'New assistants are inactive. Run parley assistants activate afterwards.',
}

/**
 * Rejects fields in --set, --set-json and --unset that the endpoint does not accept, because a lenient platform would
 * report success and change nothing. Fields of a document (--file, --data) are left to the platform, so that a
 * downloaded record can be sent back.
 *
 * @throws ClientFailure `usage` with the field
 */
export function requireExplicitFields(
  words: string,
  endpoint: Endpoint,
  document: z.ZodType | undefined,
  { set = [], setJson = [], unset = [] }: BodySources,
): void {
  const shape = document && schemaDefinition(document).shape
  if (!endpoint.body || !shape) return
  const readOnly = readOnlyFields(endpoint)
  const accepted = [
    ...Object.keys(shape),
    ...Object.keys(endpoint.body.shape),
    ...Object.keys(endpoint.query?.shape ?? {}),
  ]
  for (const given of [...set, ...setJson, ...unset]) {
    const [path = ''] = given.split('=', 1)
    // Invalid paths are reported later, when they are parsed.
    if (!isFieldPath(path)) continue
    const [field = ''] = path.split('.', 1)
    if (accepted.includes(field)) continue
    const remedy = setterHints[`${endpoint.name} ${field}`]
    if (readOnly.has(field) || remedy)
      throw usageError(`Field "${field}" is read-only in "parley ${words}". Nothing was sent.`, remedy)
    const guess = closestMatch(field, accepted)
    throw usageError(
      `Unknown field "${field}" in "parley ${words}".${guess ? ` Did you mean "${guess}"?` : ''} Nothing was sent.`,
      `List fields: parley schema ${endpoint.name}. To send any field, use parley api ${endpoint.name}.`,
    )
  }
}
