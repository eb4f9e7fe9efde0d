// Which rows of a file were sent. A row is recorded as started before its request is sent, and one that
// was started without an outcome is resolved before it is sent again. Files of earlier versions stay readable.

import { closeSync, existsSync, fsyncSync, ftruncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { usageFailure } from '../../../client/failures/client-failure.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { openForAppending, parseJsonLine, readLines, writeLines } from '../../../node/ndjson.ts'
import { renameFile } from '../../../node/operating-system.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { localPrefix } from '../../program/configuration/purge-bulk-progress.ts'

/**
 * States of a row. A row in state `started` without a later entry was interrupted while it was sent. In a file, the word for
 * `started` is an earlier one, and the other states have these names. The words in files never change.
 */
const rowStates = ['none', 'started', 'done', 'already', 'failed', 'unknown', 'waiting'] as const
type RowState = (typeof rowStates)[number]
const finishedStates: ReadonlySet<RowState> = new Set(['done', 'already', 'waiting'])

/** The first line of a progress file. Other versions read it: fields are added and never renamed. */
interface ProgressHead {
  /** Prefix of the idempotency key of every row. A row that is resolved or repeated is found by it. */
  readonly nonce: string
  readonly endpoint: string
  readonly target: string
  readonly file: string
  readonly rows: number
  /** Creation time, ISO 8601. */
  readonly at: string
}

/**
 * Records the state of every row in an append-only file. A crash loses at most the last line. Uses one byte of memory
 * per row.
 *
 * Runs are numbered because a failed row is a new request with a new key in the next run.
 */
export interface ProgressFile {
  readonly head: ProgressHead
  /** Number of this run, from 1. */
  readonly run: number
  stateOf(row: number): RowState
  /** Returns the run in which an unfinished row was started. */
  runOf(row: number): number
  /** Returns the number of rows in a state. */
  count(state: RowState): number
  /** Returns whether a row needs no request any more: it is done, existed, or the platform sends it when the contact hours open. */
  isFinished(row: number): boolean
  /** Returns the number of these rows. */
  finished(): number
  /**
   * Records that these rows are about to be sent. On return the entry is on disk if the progress file is durable. Rows that
   * were started before keep their run.
   */
  begin(from: number, to: number): void
  /**
   * Records the same for one row that is sent under the key of a run: the current one, or an earlier one if that row is
   * repeated.
   */
  beginAs(row: number, run: number): void
  /** Records the outcome of a row. It is written with the next entries. */
  end(row: number, state: Exclude<RowState, 'none' | 'started'>): void
  /** Failed-rows file of the last run and its hash when it was written. It survives a reset of the progress file. */
  readonly failedFile: FailedFile | undefined
  /** Records the failed-rows file; `null` records that it no longer exists. */
  recordFailedFile(recordedFile: FailedFile | null): void
  flush(): void
  close(): void
}

/** A file and the SHA-256 of its content when it was written. */
export interface FailedFile {
  readonly path: string
  readonly hash: string
}

interface ProgressFileOptions {
  readonly file: string
  /** Head of a new progress; ignored if the file has one. */
  readonly head: ProgressHead
  /** Whether to discard the recorded states. */
  readonly reset: boolean
  /** Whether every line must survive a power loss and not only the end of the process. */
  readonly durable: boolean
}

/**
 * Opens the progress file. The calling process must hold its lock. @throws ClientFailure `usage` if it cannot be written; then
 * nothing may be sent
 */
export function openProgressFile({ file, head: fresh, reset, durable }: ProgressFileOptions): ProgressFile {
  const states = new Uint8Array(fresh.rows)
  const counts = rowStates.map(() => 0)
  counts[0] = fresh.rows
  const startedInRun = new Map<number, number>()
  let head: ProgressHead | undefined
  let run = 0
  let recordedFile: FailedFile | undefined
  let descriptor: number | undefined

  const set = (row: number, state: number): void => {
    const before = states[row]
    if (before === undefined) return
    counts[before] = (counts[before] as number) - 1
    counts[state] = (counts[state] as number) + 1
    states[row] = state
    if (state === 1) startedInRun.set(row, run)
    else if (rowStates[state] !== 'unknown') startedInRun.delete(row)
  }

  for (const line of linesOf(file)) {
    const entry = parseJsonLine(line)
    if (!entry) continue
    if (entry.kept !== undefined) recordedFile = (entry.kept as FailedFile | null) ?? undefined
    else if (reset) continue
    else if (typeof entry.nonce === 'string') head = entry as unknown as ProgressHead
    else if (typeof entry.run === 'number') run = entry.run
    else if (typeof entry.row === 'number') markLeaving(entry.row, entry.as as number)
    else if (Array.isArray(entry.begun)) markStarted(entry.begun as [number, number])
    else
      for (const [n, state] of rowStates.entries())
        if (n > 1 && Array.isArray(entry[state])) for (const row of entry[state] as number[]) set(row, n)
  }
  run += 1

  /** Opens the file for writing, when there is something to write. */
  function open(): number {
    try {
      makeFolder(dirname(file))
      const opened = openForAppending(file)
      if (reset) ftruncateSync(opened)
      descriptor = opened
      writeLines(opened, [...(head ? [] : [fresh]), { run, at: fresh.at }], { isDurable: true })
      return opened
    } catch (error) {
      throw unwritableError(file, error)
    }
  }

  function markStarted([from, to]: readonly [number, number]): void {
    for (let row = from; row <= to; row++) if (states[row] === 0 || states[row] === 4) set(row, 1)
  }

  function markLeaving(row: number, as: number): void {
    if (states[row] === undefined) return
    set(row, 1)
    startedInRun.set(row, as)
  }

  let ended: Partial<Record<RowState, number[]>> = {}
  const pending = (): object[] => {
    const lines = Object.keys(ended).length > 0 ? [ended] : []
    ended = {}
    return lines
  }
  const safely = (lines: readonly object[]): void => {
    if (lines.length === 0) return
    const to = descriptor ?? open()
    try {
      writeLines(to, lines, { isDurable: durable })
    } catch (error) {
      throw unwritableError(file, error)
    }
  }

  return {
    head: head ?? fresh,
    run,
    stateOf: (row) => rowStates[states[row] ?? 0] as RowState,
    runOf: (row) => startedInRun.get(row) ?? run,
    count: (state) => counts[rowStates.indexOf(state)] as number,
    isFinished: (row) => finishedStates.has(rowStates[states[row] ?? 0] as RowState),
    finished: () => [...finishedStates].reduce((sum, it) => sum + (counts[rowStates.indexOf(it)] as number), 0),
    begin(from, to) {
      markStarted([from, to])
      safely([...pending(), { begun: [from, to] }])
    },
    beginAs(row, as) {
      markLeaving(row, as)
      safely([...pending(), { row, as }])
    },
    end(row, state) {
      set(row, rowStates.indexOf(state))
      const rows = ended[state]
      if (rows) rows.push(row)
      else ended[state] = [row]
    },
    get failedFile() {
      return recordedFile
    },
    recordFailedFile(failedFile) {
      recordedFile = failedFile ?? undefined
      safely([...pending(), { kept: failedFile }])
    },
    flush: () => safely(pending()),
    close() {
      try {
        safely(pending())
        if (descriptor !== undefined) fsyncSync(descriptor)
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
        descriptor = undefined
      }
    },
  }
}

const unwritableError = (file: string, error: unknown): Error =>
  usageFailure(
    'ledger_unwritable',
    `The progress of this file cannot be saved: ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`,
    'Make the file and its folder writable, or set another folder with PARLEY_DATA_DIR.',
  )

/** Reads the lines of a progress file; a missing file has none. @throws ClientFailure `usage` when it cannot be read */
function* linesOf(file: string): Generator<string> {
  try {
    yield* readLines(file)
  } catch (error) {
    throw unwritableError(file, error)
  }
}

/**
 * Returns the path of a file that records the progress of bulk operations on a platform. A file of an earlier version,
 * which had no prefix, is renamed. purge-bulk-progress.ts finds old files, and those of the local platform, by these names.
 */
export function progressPath(folder: string, baseUrl: string, name: string): string {
  if (baseUrl !== localProfile.base_url) return join(folder, name)
  const file = join(folder, `${localPrefix}${name}`)
  const earlier = join(folder, name)
  if (existsSync(earlier) && !existsSync(file)) renameFile(earlier, file)
  return file
}
