import { paginate } from '../../../client/paginate.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import type { Context } from '../../context.ts'

/** More are not read for the sake of a column. */
const maxAssistants = 500

/** Names of the account's assistants by id, for people; none where they cannot be read, or nobody asks for them. */
export async function assistantNames(context: Context): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>()
  const { settings } = context.out
  if (settings.form !== 'table' || settings.fields || context.globals.printCurl || context.globals.envelope)
    return names
  try {
    const found = paginate<typeof assistants.list, { id: number; name: string }>(
      context.call,
      assistants.list,
      {} as never,
      {
        limit: maxAssistants,
        signal: context.world.signal,
      },
    )
    for await (const { id, name } of found) names.set(id, name)
  } catch {
    // The campaigns are what was asked for: whatever is in the way is told with them.
  }
  return names
}
