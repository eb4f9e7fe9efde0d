import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../folder.ts'
import type { World } from '../../world.ts'
import { historyDir, longest } from './copies.ts'

/** A write to a platform, without what was written. */
export interface Write {
  /** ISO 8601. */
  readonly at: string
  readonly profile: string
  readonly host: string
  /** `tools update`: the words of the command. */
  readonly command: string
  readonly endpoint: string
  readonly id: string | null
  /** Names of the fields that were sent; no values. */
  readonly fields: readonly string[]
  /** HTTP status; null where nothing was answered. */
  readonly status: number | null
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly request_id: string | null
  /** The copy that was kept before. */
  readonly entry: number | null
}

/** Bytes after which a new file is begun; the one before is kept beside it. */
const fullAt = 4 * 1024 * 1024

const files = (world: World): readonly [string, string] => [join(historyDir(world), 'writes.1.ndjson'), join(historyDir(world), 'writes.ndjson')]

/** Lines that wait for the end of the turn, and whose files they go to. */
let waiting: { readonly world: World; text: string } | undefined

/**
 * Adds one line to what any number of processes add to at the same time. Never fails: what was done is done. The first of a turn of the event loop is
 * written at once; those that follow in the same turn, as they do where many are under way, are written together at its end.
 */
export function noteWrite(world: World, it: Write): void {
  const line = `${JSON.stringify(it)}\n`
  if (waiting && waiting.world !== world) flushWrites()
  if (waiting) {
    waiting.text += line
    return
  }
  waiting = { world, text: '' }
  setImmediate(flushWrites)
  add(world, line)
}

function flushWrites(): void {
  const it = waiting
  waiting = undefined
  if (it && it.text !== '') add(it.world, it.text)
}

/** Whole lines, in one write. */
function add(world: World, lines: string): void {
  const [older, file] = files(world)
  try {
    let descriptor = open(file)
    if (fstatSync(descriptor).size >= fullAt) {
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
    // A folder that cannot be written: the platform's own log has it.
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

/** Newest first. */
export function listWrites(world: World): Write[] {
  flushWrites()
  const since = new Date(world.now() - longest).toISOString()
  return files(world)
    .flatMap(linesOf)
    .flatMap((line) => parsed(line) ?? [])
    .filter((it) => it.at >= since)
    .reverse()
}

/** Forgets writes from before a moment (milliseconds since 1970); answers how many. */
export function forgetWrites(world: World, before: number): number {
  flushWrites()
  let gone = 0
  for (const file of files(world)) {
    const lines = linesOf(file)
    const left = lines.filter((line) => Date.parse(parsed(line)?.at ?? '1970-01-01') >= before)
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

/** A torn line is nothing. */
function parsed(line: string): Write | undefined {
  try {
    const it = JSON.parse(line) as Write | null
    return typeof it?.at === 'string' ? it : undefined
  } catch {
    return undefined
  }
}
