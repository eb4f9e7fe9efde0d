import { statSync } from 'node:fs'
import { readLines } from '../../node/ndjson.ts'

/**
 * How the lines of intents and of outcomes begin. Lines are found by it without being parsed, also those of other versions: the first
 * field of each, and its name, never change.
 */
export const lineStarts = { intent: '{"intent":"', outcome: '{"outcome":"' } as const

/** Reads what any process appends to a journal after it was opened. */
interface JournalFollower {
  /** Returns the lines since the last call. */
  newLines(): string[]
}

/**
 * Follows a journal from its current end. `since` (ISO 8601) selects the lines to return after the journal was purged,
 * which replaces its file.
 */
export function followJournal(file: string, since: string): JournalFollower {
  const stateOf = (): { readonly size: number; readonly id: number } => {
    const { size, ino } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0, ino: 0 }
    return { size, id: ino }
  }
  let { size: position, id } = stateOf()
  return {
    newLines() {
      const now = stateOf()
      const isReplaced = id !== 0 && now.id !== id
      if (!isReplaced && now.size === position) return []
      const lines = [...readLines(file, isReplaced ? 0 : position)].filter((it) => it !== '')
      position = now.size
      id = now.id
      return isReplaced ? lines.filter((it) => timeIn(it) >= since) : lines
    },
  }
}

/**
 * Returns the time of a journal line without parsing it. Each line has `at` in ISO 8601 with milliseconds, which are 24
 * characters. The first one of the line counts, so that writers put it before what a request contains.
 */
export const timeIn = (line: string): string => line.slice(line.indexOf('"at":"') + 6, line.indexOf('"at":"') + 30)
