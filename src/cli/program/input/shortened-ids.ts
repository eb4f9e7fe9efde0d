// Long ids that tables shorten to their beginning, so that a person can pass what a table shows. Scripts pass whole ids, which
// never cost a request here.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { leastIdLength } from '../output/format.ts'

/** Maximum number of records that are searched for a beginning, newest first. */
const maxSearched = 1000

/** A list of records with long ids, which tables shorten. */
interface LongIds {
  readonly singular: string
  readonly list: Endpoint
  /** Form of a whole id, which is used without reading the list. */
  readonly whole: RegExp
}

/**
 * Returns the id that begins with what was given, among the newest records. Without one, the text itself: the
 * platform then reports that it does not exist. @throws ClientFailure `usage` if several begin with it
 */
export async function wholeId(context: Context, given: string, { singular, list, whole }: LongIds): Promise<string> {
  const beginning = beginningOf(given)
  if (whole.test(given) || beginning === undefined || context.globals.printCurl) return given
  const ids: string[] = []
  try {
    for await (const item of paginate<Endpoint, { id: unknown }>(context.call, list, {}, { limit: maxSearched }))
      ids.push(String(item.id))
  } catch (error) {
    // A platform that does not list them still finds the whole id.
    if (error instanceof ClientFailure && error.exit === 'not_found') return given
    throw error
  }
  return matchingId(ids, beginning, singular) ?? given
}

/** Returns the beginning of an id that was given, without its ellipsis. Undefined for text that is too short for one. */
export function beginningOf(given: string): string | undefined {
  const beginning = given.replace(/(?:…|\.{3})$/, '')
  return beginning.length >= leastIdLength && /^[\w-]+$/.test(beginning) ? beginning : undefined
}

/** Returns the only id with this beginning; undefined if there is none. @throws ClientFailure `usage` if there are several */
export function matchingId(ids: readonly string[], beginning: string, singular: string): string | undefined {
  const found = ids.filter((it) => it.startsWith(beginning) || it.startsWith(beginning.toLowerCase()))
  if (found.length > 1)
    throw usageError(
      `The ids of several ${singular}s begin with "${beginning}": ${found.slice(0, 5).join(', ')}.`,
      'Pass more of the id.',
    )
  return found[0]
}
