import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../node/make-folder.ts'
import { appendLines, parseJsonLine, readLines } from '../../node/ndjson.ts'
import { syncFolder } from '../../node/replace-file.ts'
import { ClientFailure, usageFailure } from '../failures/client-failure.ts'
import { redactValue } from '../requests/redact.ts'
import { openOperationFailure, type Selection, searchTexts } from './open-operations.ts'

/** A spend that is about to leave. */
export interface OperationIntent {
  /** Name of the endpoint: `numbers.buy`. */
  readonly endpoint: string
  readonly input: unknown
  readonly idempotencyKey: string
  readonly profile: string
  readonly baseUrl: string
  /** Which key it went out with (`keyMark`): another key may be another account, which knows nothing of it. */
  readonly keyMark?: string
  /** What the number was picked by, where the CLI picked it; null where the user named it. Absent in entries of version 0.1. */
  readonly selection?: Selection | null
}

/** `cancelled`: stopped by the user before it left. */
export type OperationOutcome = 'done' | 'refused' | 'cancelled' | 'unknown'

export interface JournalEntry extends OperationIntent {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** `open` until an outcome is known: the process was interrupted, or is still at it. */
  readonly state: OperationOutcome | 'open'
  readonly settledAt?: string
  readonly detail?: unknown
}

/** The local memory of what was spent, or may have been. */
export interface Journal {
  readonly file: string
  /**
   * Writes the intent down, safely on disk when this returns. `isOpen` tells of an earlier entry without an outcome whether it stops this one.
   * @throws ClientFailure `unknown` when one does, `usage` when the journal cannot be written: then nothing may be spent
   */
  recordIntent(intent: OperationIntent, isStopped?: (entry: JournalEntry) => boolean): string
  /** Adds what became of it. The last word counts. */
  recordOutcome(id: string, outcome: OperationOutcome, detail?: unknown): void
  /** Oldest first; with `open` only those whose outcome is not known, with `keys` only those that went out under one of them. */
  list(filter?: JournalFilter): JournalEntry[]
  /** Its lines from the first to the last, however long it is. */
  lines(): Iterable<string>
}

export interface JournalFilter {
  readonly open?: boolean
  readonly keys?: ReadonlySet<string>
  /** Only entries whose line holds all of these texts. */
  readonly texts?: readonly string[]
}

export interface JournalOptions {
  /** Of an append-only NDJSON file; made when missing, readable by its owner only. */
  readonly file: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
}

/** Opens the journal in a file that any number of processes may append to at the same time. */
export function openJournal({ file, now, newId }: JournalOptions): Journal {
  const time = (): string => new Date(now()).toISOString()
  return {
    file,
    recordIntent(intent, isStopped) {
      const id = newId()
      const findBlocking = (from = 0): JournalEntry | undefined =>
        isStopped &&
        read(file, { open: true, texts: searchTexts(intent) }, from).find((it) => it.id === id || isStopped(it))
      let sizeBefore = 0
      try {
        sizeBefore = statSync(file, { throwIfNoEntry: false })?.size ?? 0
        const earlier = findBlocking()
        if (earlier) throw openOperationFailure(earlier)
        makeFolder(dirname(file))
        append(file, { intent: id, at: time(), ...intent, input: redactValue(intent.input) })
        syncFolder(dirname(file))
      } catch (error) {
        if (error instanceof ClientFailure) throw error
        throw usageFailure(
          'journal_unwritable',
          `Could not write the operations journal: ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Nothing was sent.`,
          permissionHint(file),
        )
      }
      // Of two processes that begin the same at one moment, the one whose line comes first goes on.
      const first = findBlocking(sizeBefore)
      if (first && first.id !== id) {
        append(file, { outcome: id, at: time(), state: 'cancelled', detail: { stopped_by: first.id } })
        throw openOperationFailure(first)
      }
      return id
    },
    recordOutcome: (id, outcome, detail) =>
      append(file, {
        outcome: id,
        at: time(),
        state: outcome,
        ...(detail !== undefined && { detail: redactValue(detail) }),
      }),
    list: (filter = {}) => read(file, filter),
    lines: () => journalLines(file, 0),
  }
}

/** Appends a line, on disk when this returns. */
const append = (file: string, line: Readonly<Record<string, unknown>>): void =>
  appendLines(file, [line], { isDurable: true })

/** The way out where the journal is closed to us. */
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

const outcomeStart = '{"outcome":"'

/** Keeps in memory what is asked for, however long the journal is. */
function read(file: string, { open = false, keys, texts = [] }: JournalFilter, from = 0): JournalEntry[] {
  const entries = new Map<string, JournalEntry>()
  // Most lines of a long journal are about something else: they are told apart without being parsed.
  const isUnrelated = (line: string): boolean =>
    line.startsWith(outcomeStart)
      ? !entries.has(line.slice(outcomeStart.length, line.indexOf('"', outcomeStart.length)))
      : !texts.every((it) => line.includes(it))
  for (const line of journalLines(file, from)) {
    if (line === '' || isUnrelated(line)) continue
    const it = parseJsonLine(line)
    if (typeof it?.intent === 'string') {
      const { intent: id, ...rest } = it
      if (!keys || keys.has(it.idempotencyKey as string))
        entries.set(id as string, {
          ...(rest as unknown as OperationIntent & { at: string }),
          id: id as string,
          state: 'open',
        })
    } else if (typeof it?.outcome === 'string') {
      const entry = entries.get(it.outcome)
      const state = it.state as OperationOutcome
      if (open && state !== 'unknown') entries.delete(it.outcome)
      else if (entry)
        entries.set(it.outcome, {
          ...entry,
          state,
          settledAt: it.at as string,
          ...(it.detail !== undefined && { detail: it.detail }),
        })
    }
  }
  return [...entries.values()]
}

/** Reads the lines from a byte offset on. @throws ClientFailure `usage` when the journal cannot be read */
function* journalLines(file: string, offset: number): Generator<string> {
  try {
    yield* readLines(file, offset)
  } catch (error) {
    throw usageFailure(
      'journal_unreadable',
      `Could not read the operations journal: ${file} (${(error as NodeJS.ErrnoException).code}). Nothing was sent.`,
      permissionHint(file),
    )
  }
}
