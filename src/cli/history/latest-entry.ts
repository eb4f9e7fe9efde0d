import type { Context } from '../context.ts'
import { type HistoryEntry, listEntries } from './entries.ts'
import { historyScope } from './recorder.ts'

/** Returns the newest entry of a resource; undefined if there is none. */
export async function latestEntry(
  context: Context,
  noun: string,
  id: number | string,
): Promise<HistoryEntry | undefined> {
  return listEntries(context.system, await historyScope(context)).find(
    (it) => it.noun === noun && String(Object.values(it.ids).at(-1)) === String(id) && it.before !== null,
  )
}
