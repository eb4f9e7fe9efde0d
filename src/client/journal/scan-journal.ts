import { stringifyJson } from '../../node/json.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { lineStarts, timeIn } from './follow-journal.ts'
import type { JournalEntry } from './open-operations.ts'

/** Options of a scan. */
interface ScanOptions {
  readonly endpoint: string
  /** ISO 8601. Entries that were done earlier are omitted. */
  readonly since: string
  /** Receives each entry that was done since then, in the order of the journal. */
  readonly done: (entry: JournalEntry) => void
}

const idIn = (line: string, start: string): string => line.slice(start.length, line.indexOf('"', start.length))

/**
 * Reads the entries of one endpoint from journal lines and returns those without an outcome. It parses only matching lines,
 * and holds only entries without an outcome in memory. It finds `endpoint`, `state` and `at` in the text of lines, as
 * journal.ts writes them. Bulk commands find with it what they have sent.
 */
export function scanJournal(lines: Iterable<string>, { endpoint, since, done }: ScanOptions): JournalEntry[] {
  const open = new Map<string, string>()
  const unknown = new Set<string>()
  const named = `"endpoint":${stringifyJson(endpoint)}`
  const entryOf = (id: string, line: string): JournalEntry | undefined => {
    const entry = parseJsonLine(line)
    return entry && ({ ...entry, id, state: unknown.has(id) ? 'unknown' : 'open' } as JournalEntry)
  }
  for (const line of lines) {
    if (line.startsWith(lineStarts.intent)) {
      if (line.includes(named)) open.set(idIn(line, lineStarts.intent), line)
    } else if (line.startsWith(lineStarts.outcome)) {
      const id = idIn(line, lineStarts.outcome)
      const intent = open.get(id)
      if (intent === undefined) continue
      if (line.includes('"state":"unknown"')) {
        unknown.add(id)
        continue
      }
      open.delete(id)
      if (!line.includes('"state":"done"') || timeIn(line) < since) continue
      const entry = entryOf(id, intent)
      if (entry) done(entry)
    }
  }
  return [...open].flatMap(([id, line]) => entryOf(id, line) ?? [])
}
