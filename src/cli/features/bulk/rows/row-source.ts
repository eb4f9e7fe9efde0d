import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { describeFileError } from '../../../../node/file-error.ts'
import { makeFolder } from '../../../../node/make-folder.ts'
import { yieldToEventLoop } from '../../../../node/real-time.ts'
import { deleteLeftCopies, inputCopyName } from '../../../program/configuration/purge-bulk-progress.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { System } from '../../../program/system.ts'
import type { Source } from '../../../program/terminal/streams.ts'

/** Rows that can be read several times in chunks. */
export interface RowSource {
  /** Name for messages: the path as given, or `standard input`. */
  readonly name: string
  /** Path without the extension, for files written beside it; and the extension. */
  readonly stem: string
  readonly ending: string
  /** Size in bytes. */
  readonly size: number
  /**
   * Yields the text from the beginning; `seen` is called with each chunk of bytes. @throws ClientFailure `usage` if the
   * file changes while it is read
   */
  read(seen?: (bytes: Uint8Array) => void): AsyncIterable<string>
  /** Returns whether the file at the path still has the content with this SHA-256. Standard input cannot change. */
  hasContent(hash: string): boolean
  close(): void
}

const chunkSize = 64 * 1024

/**
 * Opens a file. Standard input is copied to a temporary file, because every row is checked before the first one is
 * sent. @throws ClientFailure `usage`
 */
export async function openRows(
  system: System,
  given: string,
  folder: string,
  stdin: Source = system.streams.stdin,
): Promise<RowSource> {
  if (given !== '-') return openFile(resolve(system.cwd, given), given, endingOf(resolve(system.cwd, given)), () => {})
  makeFolder(folder)
  deleteLeftCopies(system, folder, system.now() - dayMs)
  const spoolFile = join(folder, inputCopyName(system.pid, Math.floor(system.random() * 2 ** 40).toString(36)))
  const descriptor = openSync(spoolFile, 'wx', 0o600)
  try {
    for await (const text of stdin.read()) {
      if (system.signal.aborted) break
      writeSync(descriptor, text)
    }
  } catch (error) {
    rmSync(spoolFile, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  const source = openFile(spoolFile, 'standard input', { stem: resolve(system.cwd, 'stdin'), ending: '' }, () =>
    rmSync(spoolFile, { force: true }),
  )
  return { ...source, hasContent: () => true }
}

const dayMs = 86_400_000

function endingOf(path: string): { stem: string; ending: string } {
  const [, stem = path, ending = ''] = /^(.+?)(\.[A-Za-z0-9]{1,6})?$/.exec(basename(path)) ?? []
  return { stem: join(dirname(path), stem), ending: ending.toLowerCase() }
}

function openFile(
  path: string,
  name: string,
  { stem, ending }: { stem: string; ending: string },
  closed: () => void,
): RowSource {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    throw usageError(`--file: Could not read ${name}: ${describeFileError(error)}.`)
  }
  const at = fstatSync(descriptor)
  if (!at.isFile()) {
    closeSync(descriptor)
    throw usageError(`--file: ${name} is not a file.`, 'Pipe it in instead: --file - reads standard input.')
  }
  const check = (): void => {
    const now = fstatSync(descriptor)
    if (now.size !== at.size || now.mtimeMs !== at.mtimeMs)
      throw usageError(
        `${name} was changed while it was read.`,
        'Run the same command again when the file no longer changes. Completed rows are skipped.',
      )
  }
  return {
    name,
    stem,
    ending,
    size: at.size,
    async *read(seen = () => {}) {
      const bytes = Buffer.alloc(chunkSize)
      const decoder = new TextDecoder()
      for (let at = 0, count = 0; (count = readSync(descriptor, bytes, 0, chunkSize, at)) > 0; at += count) {
        check()
        const some = bytes.subarray(0, count)
        seen(some)
        yield decoder.decode(some, { stream: true })
        await yieldToEventLoop()
      }
      check()
      const rest = decoder.decode()
      if (rest !== '') yield rest
    },
    hasContent(hash) {
      const digest = createHash('sha256')
      let current: number
      try {
        current = openSync(path, 'r')
      } catch {
        return false
      }
      try {
        const bytes = Buffer.alloc(chunkSize)
        for (let count = 0; (count = readSync(current, bytes, 0, chunkSize, null)) > 0; )
          digest.update(bytes.subarray(0, count))
      } finally {
        closeSync(current)
      }
      return digest.digest('hex') === hash
    },
    close() {
      closeSync(descriptor)
      closed()
    },
  }
}
