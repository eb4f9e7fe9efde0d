import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileDigest } from '../../../../node/file-digest.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { makeFolder } from '../../../../node/make-folder.ts'
import { appendLines, parseJsonLine, readLines, writeLines } from '../../../../node/ndjson.ts'
import { removeFile, renameFile } from '../../../../node/operating-system.ts'
import { createFile, syncFolder } from '../../../../node/replace-file.ts'
import { resolveAccountId } from '../../../program/connection/account-id.ts'
import type { Context } from '../../../program/context.ts'
import { lockWork } from '../../../program/errors/lock-work.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

/** What is known about the recording of a call. Other programs read these lines: fields and words are added, not renamed. `ExportedCall` of export.ts has the statuses too. */
export interface RecordingEntry {
  readonly call_id: number | string
  readonly status: 'saved' | 'damaged' | 'expired' | 'failed' | 'none'
  /** Name of the file in the folder. SHA-256 and size are those that it was saved with, also when it is damaged. */
  readonly file: string | null
  readonly sha256: string | null
  readonly size_bytes: number | null
  readonly content_type: string | null
  readonly call_created_at: string
  /** Time of this computer. */
  readonly checked_at: string
  readonly error: string | null
}

/** The manifest of a folder of recordings, which this process has locked. */
export interface Manifest {
  readonly folder: string
  /**
   * Returns the entry of a call as its file is now: `saved`, or `damaged` with the reason in `error`. Undefined if it has none, or if its
   * file is missing. The content of a file is read only if it was changed after it was checked last.
   */
  check(callId: number | string): Promise<RecordingEntry | undefined>
  /** Adds the entry of a call, or replaces one that says something else. It is on disk on return. */
  record(entry: RecordingEntry): void
  /** Removes earlier entries of calls that have a later one, and releases the folder. */
  close(): void
}

/** Name of the manifest in the folder. Folders of users have it and the next one: neither changes. */
const manifestName = 'manifest.ndjson'
/** Says which account the recordings are from. Calls of another one have the same ids. */
const sourceName = 'source.json'
/** End of the name of a recording that is being downloaded. */
export const partSuffix = '.part'

/**
 * Opens the manifest of a folder, and creates both. What an interrupted run has left is completed: lines that were cut off are dropped, and
 * parts of recordings are deleted.
 * @throws ClientFailure `usage` for a folder with other files or of another account, `conflict` while another process writes to it
 */
export async function openManifest(context: Context, folder: string, shown: string): Promise<Manifest> {
  const { system } = context
  const source = {
    format: 1,
    platform: (await context.connection()).platform,
    account: await resolveAccountId(context),
  }
  makeFolder(folder)
  const lock = lockWork(join(folder, 'manifest.lock'), system, (it) => `${it} is downloading recordings to ${shown}.`)
  try {
    const file = join(folder, manifestName)
    requireOwnFolder(folder, shown, source)
    for (const name of readdirSync(folder)) if (name.endsWith(partSuffix)) removeFile(join(folder, name))
    compact(file)
    const positions = new Map<string, RecordingEntry>()
    for (const entry of entriesOf(file)) positions.set(String(entry.call_id), entry)
    let isWhole = true
    const append = (entry: RecordingEntry): void => {
      try {
        appendLines(file, [entry], { isDurable: true, isWhole })
      } catch (error) {
        isWhole = false
        throw namingFile(error, file)
      }
      positions.set(String(entry.call_id), entry)
    }
    return {
      folder,
      async check(callId) {
        const entry = positions.get(String(callId))
        if (!entry || entry.file === null) return entry
        const { file: name, size_bytes, sha256 } = entry
        const found = statSync(join(folder, name), { throwIfNoEntry: false })
        if (!found) return undefined
        const damaged = (error: string): RecordingEntry => ({ ...entry, status: 'damaged', error })
        if (found.size !== size_bytes) return damaged(`${name} has ${found.size} bytes instead of ${size_bytes}`)
        if (entry.status === 'saved' && found.mtimeMs <= Date.parse(entry.checked_at)) return entry
        const now = await fileDigest(join(folder, name))
        if (now !== sha256) return damaged(`${name} has the SHA-256 ${now} instead of ${sha256}`)
        const checked_at = new Date(system.now()).toISOString()
        append({ ...entry, status: 'saved', error: null, checked_at })
        return positions.get(String(callId))
      },
      record(entry) {
        const known = positions.get(String(entry.call_id))
        const isSame = known?.status === entry.status && known.error === entry.error
        if (!isSame || entry.status === 'saved') append(entry)
      },
      close() {
        compact(file)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function requireOwnFolder(folder: string, shown: string, source: object): void {
  const file = join(folder, sourceName)
  const own = stringifyJson(source)
  if (!existsSync(file)) {
    const other = readdirSync(folder).find((it) => it !== 'manifest.lock')
    if (other !== undefined)
      throw usageError(`${shown} has other files, such as ${other}.`, 'Pass a new or empty folder with --recordings.')
    createFile(file, own)
    return
  }
  if (stringifyJson(parseJson(readFileSync(file, 'utf8'))) !== own)
    throw usageError(
      `${shown} has recordings of another account or platform.`,
      'Pass another folder with --recordings: their calls have the same ids.',
    )
}

function* entriesOf(file: string): Generator<RecordingEntry> {
  for (const line of readLines(file)) {
    const entry = parseJsonLine(line)
    if (entry?.call_id !== undefined && entry.status !== undefined) yield entry as typeof entry & RecordingEntry
  }
}

/** Names the file in the error of a write to an open file. */
export function namingFile(error: unknown, path: string): unknown {
  const { code, path: named } = error as NodeJS.ErrnoException
  return code === undefined || named !== undefined ? error : Object.assign(error as Error, { path })
}

/** Number of lines in one write. */
const batchSize = 1000

/**
 * Rewrites a manifest so that it has only whole lines, and one for each call, its last one. A crash leaves the file
 * unchanged.
 */
function compact(file: string): void {
  const last = new Map<string, number>()
  let breaks = -1
  let end = ''
  for (const line of readLines(file)) {
    breaks++
    end = line
  }
  let at = 0
  for (const { call_id } of entriesOf(file)) last.set(String(call_id), at++)
  if (end === '' && last.size === Math.max(breaks, 0)) return
  const draft = `${file}.draft`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    const batch: RecordingEntry[] = []
    let position = 0
    for (const entry of entriesOf(file)) {
      if (last.get(String(entry.call_id)) === position++) batch.push(entry)
      if (batch.length >= batchSize) writeLines(descriptor, batch.splice(0), { isDurable: false, isWhole: true })
    }
    if (batch.length > 0) writeLines(descriptor, batch, { isDurable: true, isWhole: true })
  } finally {
    closeSync(descriptor)
  }
  renameFile(draft, file)
  syncFolder(join(file, '..'))
}
