import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageFailure } from '../../client/failures/client-failure.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { parseJsonLine } from '../../node/ndjson.ts'

/** What has become of a row. One that was `begun` and of which nothing more is known was cut off on its way. */
export const rowStates = ['none', 'begun', 'done', 'already', 'failed', 'unknown'] as const
export type RowState = (typeof rowStates)[number]

/** The first line of a ledger. */
export interface LedgerHead {
  /** In front of every key its rows go out under. */
  readonly nonce: string
  readonly endpoint: string
  readonly target: string
  readonly file: string
  readonly rows: number
  /** ISO 8601. */
  readonly at: string
}

/**
 * What has become of every row, in a file that is only added to: a crash tears off its last line at most. One byte a row in memory.
 * Runs are counted, since a row that failed is another request the next time, with another key.
 */
export interface Ledger {
  readonly head: LedgerHead
  /** Of this run, from 1. */
  readonly run: number
  stateOf(row: number): RowState
  /** The run in which a row was begun that has not ended. */
  runOf(row: number): number
  /** How many rows are in a state. */
  count(state: RowState): number
  /** Writes down that these rows are about to leave; on disk when it returns, where that is asked for. Those that were begun before keep their run. */
  begin(from: number, to: number): void
  /** The same for one row that leaves under the key of a run: this one, or an earlier one's where that is asked again. */
  beginAs(row: number, run: number): void
  /** Keeps what became of a row, to be written with the next ones. */
  end(row: number, state: Exclude<RowState, 'none' | 'begun'>): void
  /** The file of failed rows that the last run wrote, as it was written; of a ledger that is begun anew too. */
  readonly failedFile: FailedFile | undefined
  /** Remembers it, or with `null` that there is none any more. */
  recordFailedFile(recordedFile: FailedFile | null): void
  flush(): void
  close(): void
}

/** A file, and the SHA-256 of what was written to it. */
export interface FailedFile {
  readonly path: string
  readonly hash: string
}

export interface LedgerOptions {
  readonly file: string
  /** For a ledger that is not there yet. */
  readonly head: LedgerHead
  /** Forgets what is there. */
  readonly reset: boolean
  /** Whether every line is to survive a loss of power, not only the end of the process. */
  readonly durable: boolean
}

/** Opens the ledger, for the one process that holds its lock. @throws ClientFailure `usage` when it cannot be written: then nothing may be sent */
export function openLedger({ file, head: fresh, reset, durable }: LedgerOptions): Ledger {
  const states = new Uint8Array(fresh.rows)
  const counts = rowStates.map(() => 0)
  counts[0] = fresh.rows
  const startedInRun = new Map<number, number>()
  let head: LedgerHead | undefined
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
    else if (state < 5) startedInRun.delete(row)
  }

  for (const line of linesOf(file)) {
    const it = parseJsonLine(line)
    if (!it) continue
    if (it.kept !== undefined) recordedFile = (it.kept as FailedFile | null) ?? undefined
    else if (reset) continue
    else if (typeof it.nonce === 'string') head = it as unknown as LedgerHead
    else if (typeof it.run === 'number') run = it.run
    else if (typeof it.row === 'number') markLeaving(it.row, it.as as number)
    else if (Array.isArray(it.begun)) markStarted(it.begun as [number, number])
    else
      for (const [n, state] of rowStates.entries())
        if (n > 1 && Array.isArray(it[state])) for (const row of it[state] as number[]) set(row, n)
  }
  run += 1

  /** Made when there is something to write. */
  function open(): number {
    try {
      makeFolder(dirname(file))
      const opened = openSync(file, reset ? 'w' : 'a', 0o600)
      descriptor = opened
      write(opened, [...(head ? [] : [{ ...fresh }]), { run, at: fresh.at }])
      fsyncSync(opened)
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

  function write(to: number, lines: readonly object[]): void {
    // A line end in front as well: a line that a crash tore off must not swallow this one.
    const bytes = Buffer.from(`\n${lines.map((it) => JSON.stringify(it)).join('\n')}\n`)
    if (writeSync(to, bytes) !== bytes.length) throw new Error('the disk is full')
    if (durable) fsyncSync(to)
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
      write(to, lines)
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
    recordFailedFile(it) {
      recordedFile = it ?? undefined
      safely([...pending(), { kept: it }])
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

/** The lines of a file, however long it is; none where there is no file. */
function* linesOf(file: string): Generator<string> {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw unwritableError(file, error)
  }
  try {
    const piece = Buffer.alloc(256 * 1024)
    const decoder = new TextDecoder()
    let left = ''
    for (;;) {
      const read = readSync(descriptor, piece, 0, piece.length, null)
      if (read === 0) break
      const lines = (left + decoder.decode(piece.subarray(0, read), { stream: true })).split('\n')
      left = lines.pop() ?? ''
      yield* lines
    }
    yield left
  } finally {
    closeSync(descriptor)
  }
}

/** The first line of a ledger. */
export function readLedgerHead(file: string): LedgerHead | undefined {
  for (const line of linesOf(file)) {
    const it = parseJsonLine(line)
    if (it) return typeof it.nonce === 'string' ? (it as unknown as LedgerHead) : undefined
  }
  return undefined
}
