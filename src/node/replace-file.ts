import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeFile, renameFile } from './operating-system.ts'

/** Permissions and durability of a file that is written. */
export interface WriteOptions {
  /** Permissions (default: 0o600). `keep`: those of the file that is replaced; for a new file, what the system gives one. */
  readonly mode?: number | 'keep'
  /** Whether the text is on disk on return, and survives a power failure (default: true). False for caches and locks. */
  readonly isDurable?: boolean
}

/** Replaces the text of a file atomically: readers see the old text or the new one. Creates the file when it is missing; its folder must exist. */
export function replaceFile(file: string, text: string, options: WriteOptions = {}): void {
  const draft = writeDraft(file, text, options)
  try {
    renameFile(draft, file)
  } catch (error) {
    removeFile(draft)
    throw error
  }
  if (options.isDurable ?? true) syncFolder(dirname(file))
}

/** Creates a file with its whole text. Returns false, and changes nothing, when there is one already: of several processes one succeeds. */
export function createFile(file: string, text: string, options: WriteOptions = {}): boolean {
  const draft = writeDraft(file, text, options)
  try {
    if (!linkFile(draft, file)) return false
  } finally {
    removeFile(draft)
  }
  if (options.isDurable ?? true) syncFolder(dirname(file))
  return true
}

/** Gives a file a second name. Returns false when that name is taken. */
export function linkFile(file: string, name: string): boolean {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Syncs the names in a folder to disk: a new file survives a power failure only with its name. */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch {
    // Windows cannot sync folders. The journal of its file system does that.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * Writes the text to a new file beside `file`, and returns its name, which is random: several containers may share a folder and
 * process ids. `explain-failure.ts` of the command line recognizes the name, and names `file` in the message.
 */
function writeDraft(file: string, text: string, { mode = 0o600, isDurable = true }: WriteOptions): string {
  const draft = `${file}.${Math.random().toString(36).slice(2)}.draft`
  const currentMode = mode === 'keep' ? statSync(file, { throwIfNoEntry: false })?.mode : undefined
  const descriptor = openSync(draft, 'wx', mode === 'keep' ? (currentMode ?? 0o666) : mode)
  try {
    writeFileSync(descriptor, text)
    if (currentMode !== undefined) fchmodSync(descriptor, currentMode & 0o777)
    if (isDurable) fsyncSync(descriptor)
  } catch (error) {
    removeFile(draft)
    // The error of a write to an open file does not name it.
    throw Object.assign(error as Error, { path: draft })
  } finally {
    closeSync(descriptor)
  }
  return draft
}
