// One line for each write to a platform, without its values. Several processes append to it. It is for people who ask later what
// was changed: a failure to write it never fails a command.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { whileFileLocked } from '../../../node/file-lock.ts'
import { requireFiles } from '../../../node/folder-marker.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { realTime } from '../../../node/real-time.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { System } from '../system.ts'
import { historyDir, makeHistoryFolder, maxAgeMs } from './entries.ts'

/** A write to a platform, without its values: a line of the stored log, which scripts read, too. Fields are added, not renamed. */
export interface WriteLogEntry {
  /** ISO 8601. */
  readonly at: string
  readonly profile: string
  readonly host: string
  /** Words of the command: `tools update`. */
  readonly command: string
  readonly endpoint: string
  readonly id: string | null
  /** Names of the sent fields, without values. */
  readonly fields: readonly string[]
  /** HTTP status; null without a response. */
  readonly status: number | null
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly request_id: string | null
  /** The history entry of the write. */
  readonly entry: number | null
}

/** Size in bytes after which a new file is started. The previous file is preserved. */
const maxFileBytes = 4 * 1024 * 1024

const logFiles = (system: System): readonly [string, string] => [
  join(historyDir(system), 'writes.1.ndjson'),
  join(historyDir(system), 'writes.ndjson'),
]

/** Lines to be written at the end of the event loop turn. */
let pendingLines: { readonly system: System; readonly entries: WriteLogEntry[] } | undefined

/**
 * Appends a line to a file that several processes append to concurrently. Never fails, because the write is already
 * done. The first line in a turn of the event loop is written immediately; further lines of that turn are written
 * together at its end.
 */
export function logWrite(system: System, entry: WriteLogEntry): void {
  if (pendingLines && pendingLines.system !== system) flushWriteLog()
  if (pendingLines) {
    pendingLines.entries.push(entry)
    return
  }
  pendingLines = { system, entries: [] }
  realTime.setImmediate(flushWriteLog)
  append(system, [entry])
}

function flushWriteLog(): void {
  const pending = pendingLines
  pendingLines = undefined
  if (pending && pending.entries.length > 0) append(pending.system, pending.entries)
}

/** Does work while no other process writes, rotates or purges the log. Its folder must exist. */
const whileLogLocked = <T>(system: System, work: () => T): T =>
  whileFileLocked(join(historyDir(system), 'writes.lock'), work)

/** Appends entries in one write. Never fails. */
function append(system: System, entries: readonly WriteLogEntry[]): void {
  const [olderFile, file] = logFiles(system)
  try {
    makeHistoryFolder(system)
    whileLogLocked(system, () => appendLines(file, entries, { rotation: { maxBytes: maxFileBytes, olderFile } }))
  } catch {
    // The folder is not writable. The platform has its own log.
  }
}

/** Returns the logged writes, newest first. */
export function listWriteLog(system: System): WriteLogEntry[] {
  requireFiles(dataDir(system), 'history')
  flushWriteLog()
  const since = new Date(system.now() - maxAgeMs).toISOString()
  return logFiles(system)
    .flatMap(linesOf)
    .flatMap((line) => parsed(line) ?? [])
    .filter((it) => it.at >= since)
    .reverse()
}

/** Deletes writes from before a time (milliseconds since 1970). Returns their number. */
export function purgeWriteLog(system: System, beforeMs: number): number {
  flushWriteLog()
  return existsSync(historyDir(system)) ? whileLogLocked(system, () => purge(system, beforeMs)) : 0
}

function purge(system: System, beforeMs: number): number {
  let gone = 0
  for (const file of logFiles(system)) {
    const lines = linesOf(file)
    const left = lines.filter((line) => Date.parse(parsed(line)?.at ?? '1970-01-01') >= beforeMs)
    gone += lines.length - left.length
    if (left.length === lines.length) continue
    if (left.length === 0) rmSync(file, { force: true })
    else replaceFile(file, left.map((it) => `${it}\n`).join(''))
  }
  return gone
}

function linesOf(file: string): string[] {
  try {
    return [...readLines(file)].filter((it) => it !== '')
  } catch {
    return []
  }
}

/** Parses a line. Returns undefined for lines that a crash cut off. */
function parsed(line: string): WriteLogEntry | undefined {
  const entry = parseJsonLine(line)
  return typeof entry?.at === 'string' ? (entry as unknown as WriteLogEntry) : undefined
}
