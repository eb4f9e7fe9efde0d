// The journal of billable operations: lines that are only appended, by several processes. An intent is on disk before its
// request is sent, so that after a crash `ops reconcile` finds it. Lines of earlier versions stay readable.

import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { redactValue } from '../../contract/values/redact.ts'
import { dataFiles } from '../../node/data-files.ts'
import { whileFileLocked } from '../../node/file-lock.ts'
import { FolderIncomplete, markFiles, requireFiles } from '../../node/folder-marker.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { appendLines, parseJsonLine, readLines } from '../../node/ndjson.ts'
import { identify, type ProcessOwner } from '../../node/process-identity.ts'
import { syncFolder } from '../../node/replace-file.ts'
import { ClientFailure, usageFailure } from '../failures/client-failure.ts'
import { lineStarts } from './follow-journal.ts'
import type { Journal, JournalFilter, OperationIntent, OperationOutcome } from './open-operations.ts'
import { type JournalEntry, openOperationFailure } from './open-operations.ts'

/** Options of the journal. */
export interface JournalOptions {
  /** Path of the append-only NDJSON file. It is created if missing, readable by its owner only. */
  readonly file: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  /** The current process, which is recorded with each intent (default: none is). */
  readonly owner?: ProcessOwner
}

/** Opens the journal in a file. Several processes may append to it at the same time. */
export function openJournal({ file, now, newId, owner }: JournalOptions): Journal {
  const time = (): string => new Date(now()).toISOString()
  return {
    file,
    recordIntent(intent, findEarlier, requireBudget) {
      const id = newId()
      writeJournal(file, () => {
        // Another process that starts the same operation at once finds the line of the first one.
        const earlier = findEarlier?.()
        if (earlier) throw openOperationFailure(earlier, now(), owner)
        requireBudget?.(intent, now())
        // The first field, as `lineStarts` says. `at` precedes the input, because `timeIn` takes the first one of a line.
        appendToJournal(file, {
          intent: id,
          at: time(),
          ...intent,
          input: redactValue(intent.input),
          ...(owner && { sender: identify(owner.pid) }),
        })
      })
      return id
    },
    recordOutcome: (id, outcome, detail) =>
      whileJournalLocked(file, () =>
        appendToJournal(file, {
          outcome: id,
          at: time(),
          state: outcome,
          ...(detail !== undefined && { detail: redactValue(detail) }),
        }),
      ),
    list: (filter = {}) => read(file, filter),
    lines: () => journalLines(file),
  }
}

/** Does work while no other process writes or purges the journal. Its folder must exist. */
export const whileJournalLocked = <T>(file: string, work: () => T): T => whileFileLocked(`${file}.lock`, work)

/**
 * Does work that appends to the journal, while no other process writes or purges it. Creates its folder. @throws
 * ClientFailure `usage` if it cannot be written
 */
export function writeJournal<T>(file: string, work: () => T): T {
  try {
    makeFolder(dirname(file))
    const value = whileJournalLocked(file, () => {
      requireFiles(dirname(file), dataFiles.journal)
      const made = work()
      // After the line: only a file with content is marked, and a marked one that is empty later is an error.
      markFiles(dirname(file), [dataFiles.journal])
      return made
    })
    syncFolder(dirname(file))
    return value
  } catch (error) {
    if (error instanceof ClientFailure) throw error
    if (error instanceof FolderIncomplete) throw journalMissing(error)
    throw usageFailure(
      'journal_unwritable',
      `Could not write the operations journal: ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Nothing was sent.`,
      permissionHint(file),
    )
  }
}

/** Appends a line, on disk when this returns. */
export const appendToJournal = (file: string, line: Readonly<Record<string, unknown>>): void =>
  appendLines(file, [line], { isDurable: true })

const journalMissing = ({ code, message, hint }: FolderIncomplete): ClientFailure =>
  usageFailure(code, `${message} Nothing was sent.`, hint)

/** Returns a hint for a journal without access. */
function permissionHint(file: string): string {
  const [owner, folderOwner] = [ownerOf(file), ownerOf(dirname(file))]
  return owner !== undefined && folderOwner !== undefined && owner !== folderOwner
    ? `The file and its folder have different owners. As root, run: chown ${folderOwner} ${file}. Or set PARLEY_DATA_DIR to another folder.`
    : 'Make the file and its folder readable and writable, or set PARLEY_DATA_DIR to another folder.'
}

function ownerOf(file: string): number | undefined {
  try {
    return statSync(file).uid
  } catch {
    return undefined
  }
}

/** Reads the matching entries. Only those are held in memory. */
function read(file: string, { open = false, keys, texts = [] }: JournalFilter): JournalEntry[] {
  const entries = new Map<string, JournalEntry>()
  // Most lines of a long journal do not match, and are skipped without being parsed.
  const isUnrelated = (line: string): boolean =>
    line.startsWith(lineStarts.outcome)
      ? !entries.has(line.slice(lineStarts.outcome.length, line.indexOf('"', lineStarts.outcome.length)))
      : !texts.every((it) => line.includes(it))
  for (const line of journalLines(file)) {
    if (line === '' || isUnrelated(line)) continue
    const record = parseJsonLine(line)
    if (typeof record?.intent === 'string') {
      const { intent: id, ...rest } = record
      if (!keys || keys.has(record.idempotencyKey as string))
        entries.set(id as string, {
          ...(rest as unknown as OperationIntent & { at: string }),
          id: id as string,
          state: 'open',
        })
    } else if (typeof record?.outcome === 'string') {
      const entry = entries.get(record.outcome)
      const state = record.state as OperationOutcome
      if (open && state !== 'unknown') entries.delete(record.outcome)
      else if (entry)
        entries.set(record.outcome, {
          ...entry,
          state,
          settledAt: record.at as string,
          ...(record.detail !== undefined && { detail: record.detail }),
        })
    }
  }
  return [...entries.values()]
}

/** Reads the lines. @throws ClientFailure `usage` when the journal cannot be read */
export function* journalLines(file: string): Generator<string> {
  try {
    requireFiles(dirname(file), dataFiles.journal)
    yield* readLines(file)
  } catch (error) {
    if (error instanceof FolderIncomplete) throw journalMissing(error)
    throw usageFailure(
      'journal_unreadable',
      `Could not read the operations journal: ${file} (${(error as NodeJS.ErrnoException).code}). Nothing was sent.`,
      permissionHint(file),
    )
  }
}
