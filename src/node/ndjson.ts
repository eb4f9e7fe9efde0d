import { closeSync, constants, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseJson, stringifyJson } from './json.ts'
import { giveToFolderOwner, isInUse, renameFile } from './operating-system.ts'

/** How lines are appended. */
export interface AppendOptions {
  /** Whether the lines are on disk on return, and survive a power failure (default: false). */
  readonly isDurable?: boolean
  /** Whether the file ends with a whole line, because no other process appends to it (default: false). */
  readonly isWhole?: boolean
  /** Size in bytes from which on a file is renamed to `olderFile`, and a new one started. */
  readonly rotation?: { readonly maxBytes: number; readonly olderFile: string }
}

/** Appends values to an NDJSON file that any number of processes append to, and creates it when it is missing; its folder must exist. */
export function appendLines(
  file: string,
  values: readonly object[],
  { isDurable, isWhole, rotation }: AppendOptions = {},
): void {
  if (rotation && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= rotation.maxBytes)
    rotate(file, rotation.olderFile)
  const descriptor = openForAppending(file)
  try {
    writeLines(descriptor, values, { isDurable: isDurable === true, isWhole })
  } finally {
    closeSync(descriptor)
  }
}

/** Renames a full file. While another process has it open on Windows, it stays, and grows until a later call. */
function rotate(file: string, olderFile: string): void {
  try {
    renameFile(file, olderFile)
  } catch (error) {
    if (!isInUse(error)) throw error
  }
}

/** Appends values to an open NDJSON file, in one write, so that lines of several processes never mix. */
export function writeLines(
  descriptor: number,
  values: readonly object[],
  { isDurable, isWhole }: { readonly isDurable: boolean; readonly isWhole?: boolean | undefined },
): void {
  // Starts with a line break: a line that a crash cut off must not swallow the next one.
  const bytes = Buffer.from(`${isWhole ? '' : '\n'}${values.map((it) => stringifyJson(it)).join('\n')}\n`)
  if (writeSync(descriptor, bytes) !== bytes.length) throw new Error('the disk is full')
  if (isDurable) fsyncSync(descriptor)
}

/** Opens a file for appending, and creates it for its owner alone. One that root creates in the folder of another user belongs to that user. */
export function openForAppending(file: string): number {
  const { O_APPEND, O_WRONLY } = constants
  try {
    return openSync(file, O_APPEND | O_WRONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Not exclusively: another process may create it first.
  const descriptor = openSync(file, 'a', 0o600)
  giveToFolderOwner(descriptor, dirname(file))
  return descriptor
}

/** Reads the lines of a file from a byte offset on, however long it is. A missing file has none. */
export function* readLines(file: string, offset = 0): Generator<string> {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    const piece = Buffer.alloc(256 * 1024)
    const decoder = new TextDecoder()
    let rest = ''
    for (let at = offset, read = 0; (read = readSync(descriptor, piece, 0, piece.length, at)) > 0; at += read) {
      const lines = (rest + decoder.decode(piece.subarray(0, read), { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    yield rest
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Parses a line of an NDJSON file as an object. Undefined for an empty line, which `writeLines` may write before others, for
 * one that a crash cut off, and for one that is not an object, so that readers can skip them.
 */
export function parseJsonLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line === '') return undefined
  try {
    const value: unknown = parseJson(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
