import type * as z from 'zod'
import { describeSchema } from '../contract/coerce.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { readOnlyFields } from '../contract/read-only.ts'
import type { BodySources } from './options.ts'
import { closest } from './output/closest.ts'
import { isPath } from './paths.ts'
import { usage } from './usage.ts'

/** What sets a read-only field, where a command does. */
const setBy: Readonly<Record<string, string>> = {
  'assistants.update status': 'Use parley assistants activate or parley assistants deactivate.',
  'assistants.create status': 'A new assistant is inactive. Use parley assistants activate afterwards.',
}

/**
 * Refuses fields named by --set, --set-json and --unset that the endpoint does not take: a lenient platform would answer success and change nothing.
 * Fields of a document (--file, --data) are for the platform to judge, so that what was read can be sent back.
 * @throws usage naming the field
 */
export function checkExplicit(words: string, endpoint: Endpoint, document: z.ZodType | undefined, { set = [], setJson = [], unset = [] }: BodySources): void {
  const shape = document && describeSchema(document).shape
  if (!endpoint.body || !shape) return
  const own = readOnlyFields(endpoint)
  const taken = [...Object.keys(shape), ...Object.keys(endpoint.body.shape), ...Object.keys(endpoint.query?.shape ?? {})]
  for (const given of [...set, ...setJson, ...unset]) {
    const [path = ''] = given.split('=', 1)
    // What is no path at all is refused where it is read, with what is wrong in it.
    if (!isPath(path)) continue
    const [field = ''] = path.split('.', 1)
    if (taken.includes(field)) continue
    const remedy = setBy[`${endpoint.name} ${field}`]
    if (own.has(field) || remedy) throw usage(`"${field}" is read-only in "parley ${words}": the platform sets it. Nothing was sent.`, remedy)
    const guess = closest(field, taken)
    throw usage(
      `"parley ${words}" takes no field "${field}".${guess ? ` Did you mean "${guess}"?` : ''} Nothing was sent.`,
      `Its fields: parley schema ${endpoint.name}. To send a field that Parley does not know: parley api ${endpoint.name}.`,
    )
  }
}
