import type * as z from 'zod'
import { schemaDefinition } from '../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { readOnlyFields } from '../../contract/mechanics/read-only-fields.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { BodySources } from '../commandline/field-flags.ts'
import { usageError } from '../errors/usage-error.ts'
import { isFieldPath } from './field-path.ts'

/** What sets a read-only field, where a command does. */
const setterHints: Readonly<Record<string, string>> = {
  'assistants.update status': 'Use parley assistants activate or parley assistants deactivate.',
  'assistants.create status': 'A new assistant is inactive. Use parley assistants activate afterwards.',
}

/**
 * Refuses fields named by --set, --set-json and --unset that the endpoint does not take: a lenient platform would answer success and change nothing.
 * Fields of a document (--file, --data) are for the platform to judge, so that what was read can be sent back.
 * @throws usage naming the field
 */
export function checkExplicitFields(
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
    // What is no path at all is refused where it is read, with what is wrong in it.
    if (!isFieldPath(path)) continue
    const [field = ''] = path.split('.', 1)
    if (accepted.includes(field)) continue
    const remedy = setterHints[`${endpoint.name} ${field}`]
    if (readOnly.has(field) || remedy)
      throw usageError(`"${field}" is read-only in "parley ${words}": the platform sets it. Nothing was sent.`, remedy)
    const guess = closestMatch(field, accepted)
    throw usageError(
      `"parley ${words}" takes no field "${field}".${guess ? ` Did you mean "${guess}"?` : ''} Nothing was sent.`,
      `Its fields: parley schema ${endpoint.name}. To send a field that Parley does not know: parley api ${endpoint.name}.`,
    )
  }
}
