import { followJournal } from '../../client/journal/follow-journal.ts'
import type { JournalEntry } from '../../client/journal/journal.ts'
import { parseJsonLine } from '../../node/ndjson.ts'

/** Operations that other processes start while this one sends rows. */
export interface ConcurrentOperations {
  /**
   * Returns the operation of another process with a subject, unless it is known not to have been carried out. The caller
   * writes its own operation with the key right after that.
   */
  find(subject: string, ownKey: string): JournalEntry | undefined
  /** Returns the current state of an operation that `find` returned. */
  stateOf(id: string): JournalEntry['state']
}

/**
 * Follows the journal from now on. `subjectOf` returns the recipient and content of an entry, undefined if it belongs to
 * another platform, account or target.
 */
export function followOperations(
  file: string,
  since: string,
  subjectOf: (entry: JournalEntry) => string | undefined,
): ConcurrentOperations {
  const follower = followJournal(file, since)
  const entries = new Map<string, JournalEntry>()
  const bySubject = new Map<string, Set<string>>()
  let ownKey: string | undefined

  function addIntent(id: string, line: Readonly<Record<string, unknown>>): void {
    // Nothing was written between the last call and the line of this process.
    const isOwn = ownKey !== undefined && line.idempotencyKey === ownKey
    if (isOwn) ownKey = undefined
    const entry = { ...line, id, state: 'open' } as unknown as JournalEntry
    const subject = isOwn ? undefined : subjectOf(entry)
    if (subject === undefined) return
    entries.set(id, entry)
    bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(id))
  }

  function update(): void {
    for (const line of follower.newLines()) {
      const it = parseJsonLine(line)
      if (typeof it?.intent === 'string') addIntent(it.intent, it)
      const entry = typeof it?.outcome === 'string' ? entries.get(it.outcome) : undefined
      if (entry) entries.set(entry.id, { ...entry, state: it?.state as JournalEntry['state'] })
    }
  }

  const mayBeSent = ({ state }: JournalEntry): boolean => state === 'open' || state === 'unknown' || state === 'done'
  return {
    find(subject, key) {
      update()
      const found = [...(bySubject.get(subject) ?? [])].map((id) => entries.get(id) as JournalEntry).find(mayBeSent)
      ownKey = found ? undefined : key
      return found
    },
    stateOf(id) {
      update()
      return entries.get(id)?.state ?? 'open'
    },
  }
}
