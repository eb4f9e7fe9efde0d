import { paginate } from '../../../client/paginate.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import type { Context } from '../../context.ts'

/** Maximum number of assistants to read for a column of names. */
const maxAssistants = 500

/** Returns the names of assistants by id; empty for machine output, without the column, or if they cannot be read. */
export async function assistantNames(context: Context): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>()
  const { settings } = context.out
  const isShown = settings.fields?.some((it) => /^assistant$/i.test(it)) !== false
  if (settings.form !== 'table' || !isShown || context.globals.printCurl || context.globals.envelope) return names
  try {
    const found = paginate<typeof assistants.list, { id: number; name: string }>(
      context.call,
      assistants.list,
      {} as never,
      {
        limit: maxAssistants,
        signal: context.system.signal,
      },
    )
    for await (const { id, name } of found) names.set(id, name)
  } catch {
    // Names are optional: the request for the campaigns reports the failure.
  }
  return names
}
