import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseJson } from '../../../node/json.ts'
import type { Invocation } from '../commandline/command.ts'
import type { System } from '../system.ts'
import { InputTooLong, maxInputLength, type Source } from '../terminal/streams.ts'

/** Whether `--file` holds rows, and the stdin source to use if part of it was read for detection. */
export interface RowDetection {
  readonly holdsRows: boolean
  readonly stdin?: Source
}

/** Maximum number of characters to read for detection. */
const maxPeekLength = 64 * 1024

/**
 * Detects whether a file holds rows or a single document. Text that is neither JSON nor YAML holds rows. Rows are sent one by one and a
 * document once, so scripts rely on what counts as rows.
 */
export async function detectRows(system: System, flags: Invocation['flags']): Promise<RowDetection> {
  const path = String(flags.file)
  if (path === '-') {
    const { stdin } = system.streams
    const { start, isAll, source } = await peekSource(stdin)
    return { holdsRows: flags.format !== undefined || !isDocument(start, isAll), stdin: source }
  }
  if (flags.format !== undefined || !/\.(json|ya?ml)$/i.test(path)) return { holdsRows: true }
  const start = readStart(resolve(system.cwd, path))
  return { holdsRows: start !== undefined && /^(\s|#.*\n|---\s)*(\[|- )/.test(start.replace(/^\ufeff/, '')) }
}

/** Returns whether a text is a single document: one JSON object, or YAML fields. */
function isDocument(start: string, isAll: boolean): boolean {
  const text = start.replace(/^\ufeff/, '').trimStart()
  if (text === '' || text.startsWith('[') || text.startsWith('- ')) return text === ''
  const lines = text.split('\n')
  if (text.startsWith('{')) return isAll && (isObject(text) || !isObject(lines[0] ?? ''))
  return /^["']?[\w-]+["']?:(\s|$)/.test(lines.find((it) => !/^\s*(#|---|$)/.test(it)) ?? '')
}

function isObject(text: string): boolean {
  try {
    return typeof parseJson(text) === 'object'
  } catch {
    return false
  }
}

/** Reads the start of a source, and returns a source that still yields all of it. */
async function peekSource(stdin: Source): Promise<{ start: string; isAll: boolean; source: Source }> {
  const pieces = stdin.read()[Symbol.asyncIterator]()
  let start = ''
  let isAll = false
  while (start.length < maxPeekLength && !isAll) {
    const { value, done } = await pieces.next()
    if (done) isAll = true
    else start += value
  }
  async function* read(): AsyncIterable<string> {
    yield start
    if (isAll) return
    for (;;) {
      const { value, done } = await pieces.next()
      if (done) return
      yield value
    }
  }
  return {
    start,
    isAll,
    source: {
      isTTY: stdin.isTTY,
      read,
      async text() {
        let all = ''
        for await (const text of read()) {
          all += text
          if (all.length > maxInputLength) throw new InputTooLong('Standard input')
        }
        return all.replace(/^\ufeff/, '')
      },
    },
  }
}

/** Reads the first characters of a file; undefined if it cannot be read (the later full read reports the error). */
function readStart(path: string): string | undefined {
  const bytes = Buffer.alloc(1024)
  try {
    const descriptor = openSync(path, 'r')
    try {
      return bytes.toString('utf8', 0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
