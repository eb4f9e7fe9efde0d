import { lineStarts } from '../../../client/journal/follow-journal.ts'
import type { Journal, JournalEntry } from '../../../client/journal/open-operations.ts'
import { waitingIdOf } from '../../../client/journal/outcome-detail.ts'
import { parseJsonLine } from '../../../node/ndjson.ts'
import type { Context } from '../context.ts'
import { readOwnership } from './own-entries.ts'

/** Records that something that waited was cancelled, by its id, so that it does not count against a budget any more. */
export type Release = (waitingId: unknown) => Promise<void>

/**
 * Reads which operations of the journal of this machine wait for the contact hours, and returns how they are released. What was
 * cancelled on the platform is cancelled also when the journal cannot be read or written, which is a warning.
 */
export async function openReservations(context: Context): Promise<Release> {
  const journal = await context.journal()
  const isMine = await readOwnership(context)
  let entries: ReadonlyMap<string, readonly string[]> | undefined
  return async (waitingId) => {
    try {
      entries ??= readReservations(journal, isMine)
      for (const id of entries.get(String(waitingId)) ?? [])
        journal.recordOutcome(id, 'cancelled', { message: 'It was cancelled while it waited for the contact hours.' })
    } catch (error) {
      entries ??= new Map()
      await context.notes.warn(
        `It stays reserved in the budget of the profile: the operations journal could not be used: ${(error as Error).message}`,
      )
    }
  }
}

/** Returns the ids of the entries that wait, by the id of what waits. outcome-detail.ts stores it as `waitingId`. */
function readReservations(journal: Journal, isMine: (entry: JournalEntry) => boolean): Map<string, string[]> {
  const waiting = new Map<unknown, number>()
  // A journal can be long, and few of its operations wait: the outcomes name them.
  for (const line of journal.lines()) {
    if (!line.startsWith(lineStarts.outcome) || !line.includes('"waitingId":')) continue
    const record = parseJsonLine(line)
    if (!record) continue
    const waitingId = waitingIdOf({ state: record.state as JournalEntry['state'], detail: record.detail })
    if (waitingId !== undefined) waiting.set(record.outcome, waitingId)
  }
  const entries = new Map<string, string[]>()
  if (waiting.size > 0)
    for (const line of journal.lines()) {
      if (!line.startsWith(lineStarts.intent)) continue
      const record = parseJsonLine(line)
      const waitingId = waiting.get(record?.intent)
      if (waitingId === undefined || !isMine(record as unknown as JournalEntry)) continue
      entries.set(String(waitingId), [...(entries.get(String(waitingId)) ?? []), String(record?.intent)])
    }
  return entries
}
