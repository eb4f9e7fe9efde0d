import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../node/make-folder.ts'
import type { System } from '../../system.ts'
import { historyDir, maxAgeMs } from './entries.ts'

/** A write to a platform, without its values. */
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

const logFiles = (world: System): readonly [string, string] => [
  join(historyDir(world), 'writes.1.ndjson'),
  join(historyDir(world), 'writes.ndjson'),
]

/** Lines to be written at the end of the event loop turn. */
let pendingLines: { readonly world: System; text: string } | undefined

/**
 * Appends a line to a file that several processes append to concurrently. Never fails, because the write is already
 * done. The first line in a turn of the event loop is written immediately; further lines of that turn are written
 * together at its end.
 */
export function logWrite(world: System, it: WriteLogEntry): void {
  const line = `${JSON.stringify(it)}\n`
  if (pendingLines && pendingLines.world !== world) flushWriteLog()
  if (pendingLines) {
    pendingLines.text += line
    return
  }
  pendingLines = { world, text: '' }
  setImmediate(flushWriteLog)
  appendLines(world, line)
}

function flushWriteLog(): void {
  const it = pendingLines
  pendingLines = undefined
  if (it && it.text !== '') appendLines(it.world, it.text)
}

/** Appends whole lines in one write. */
function appendLines(world: System, lines: string): void {
  const [older, file] = logFiles(world)
  try {
    let descriptor = open(file)
    if (fstatSync(descriptor).size >= maxFileBytes) {
      closeSync(descriptor)
      renameSync(file, older)
      descriptor = open(file)
    }
    try {
      writeSync(descriptor, lines)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The folder cannot be written. The platform has its own log.
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    makeFolder(join(file, '..'))
    return openSync(file, 'a', 0o600)
  }
}

/** Returns the logged writes, newest first. */
export function listWriteLog(world: System): WriteLogEntry[] {
  flushWriteLog()
  const since = new Date(world.now() - maxAgeMs).toISOString()
  return logFiles(world)
    .flatMap(linesOf)
    .flatMap((line) => parsed(line) ?? [])
    .filter((it) => it.at >= since)
    .reverse()
}

/** Deletes writes from before a time (milliseconds since 1970). Returns their number. */
export function purgeWriteLog(world: System, beforeMs: number): number {
  flushWriteLog()
  let gone = 0
  for (const file of logFiles(world)) {
    const lines = linesOf(file)
    const left = lines.filter((line) => Date.parse(parsed(line)?.at ?? '1970-01-01') >= beforeMs)
    gone += lines.length - left.length
    if (left.length === lines.length) continue
    writeFileSync(`${file}.${world.pid}`, left.map((it) => `${it}\n`).join(''), { mode: 0o600 })
    renameSync(`${file}.${world.pid}`, file)
    if (left.length === 0) rmSync(file, { force: true })
  }
  return gone
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((it) => it !== '')
  } catch {
    return []
  }
}

/** Parses a line. Returns undefined for lines that a crash cut off. */
function parsed(line: string): WriteLogEntry | undefined {
  try {
    const it = JSON.parse(line) as WriteLogEntry | null
    return typeof it?.at === 'string' ? it : undefined
  } catch {
    return undefined
  }
}
