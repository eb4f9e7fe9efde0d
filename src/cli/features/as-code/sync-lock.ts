// `parley.lock.json` of a project, which users commit. Fields are added and not renamed, and it never has a secret.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWriteError } from '../../../node/file-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { removeFile } from '../../../node/operating-system.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/** State of a file and its resource at the last sync. */
export interface SyncRecord {
  readonly id: number | string
  /** Hash of the content of the file. */
  readonly here: string
  /** Hash of the resource on the platform. */
  readonly there: string
  /**
   * Fields of the platform that the file did not have, since a file may omit fields. Any other missing field was
   * removed from the file.
   */
  readonly omits?: readonly string[]
  /** The content at the last sync, with references instead of secrets. Both changes are merged with it. */
  readonly base?: Readonly<Record<string, unknown>>
  /** Time of the last change of a resource with secrets, if the platform shows one. */
  readonly changed_at?: string
  /**
   * The content of the target after a promotion, where it differs from `base`. There, the target has changes that the
   * promotion preserved or skipped, and `base` has the content from before them.
   */
  readonly live?: Readonly<Record<string, unknown>>
}

/** Sync records by platform URL and account, then by file path inside the folder. */
type LockContents = Record<string, Record<string, SyncRecord>>

/** Name of the lock file in the folder of a project. */
export const lockFileName = 'parley.lock.json'

/** A change of the lock file that a run has appended to its journal. */
interface LockChange {
  readonly platform: string
  readonly file: string
  readonly record: SyncRecord | null
}

/** The lock file beside the files: ids, hashes and contents of the last sync, no secrets. */
export class SyncLock {
  readonly #file: string
  /** Changes since the lock file was written, a line each. There is one only during a run, and after one that was killed. */
  readonly #journal: string
  readonly #platform: string
  readonly #all: LockContents
  readonly #own: Record<string, SyncRecord>
  /** Records in the lock file, and changes in the journal. */
  #written = 0
  #pending = 0

  /** @throws ClientFailure `usage` for a file that cannot be read or parsed */
  constructor(folder: string, platform: string) {
    this.#file = join(folder, lockFileName)
    this.#journal = `${this.#file}.journal`
    this.#platform = platform
    this.#all = this.#read()
    this.#applyJournal()
    this.#own = this.#all[platform] ??= {}
    this.#written = this.files.length
  }

  of(file: string): SyncRecord | undefined {
    return Object.hasOwn(this.#own, file) ? this.#own[file] : undefined
  }

  get files(): readonly string[] {
    return Object.keys(this.#own)
  }

  /** Returns the records of the files directly in one folder; `''` for files in no folder. */
  forFolder(folder: string): { readonly files: readonly string[]; of(file: string): SyncRecord | undefined } {
    const isIn = (file: string): boolean =>
      file.slice(0, file.lastIndexOf('/') + 1) === (folder === '' ? '' : `${folder}/`)
    return { files: this.files.filter(isIn), of: (file) => this.of(file) }
  }

  /**
   * Sets or removes the record of a file, on the disk too, so that a run that is killed has recorded all that it did. The
   * change is a line of the journal. The lock file itself is written when there are more changes than records, so that many
   * changes take no more time each than few.
   */
  set(file: string, synced: SyncRecord | undefined): void {
    if (synced) this.#own[file] = synced
    else delete this.#own[file]
    const change: LockChange = { platform: this.#platform, file, record: synced ?? null }
    appendLines(this.#journal, [change], { isDurable: true })
    this.#pending++
    if (this.#pending > this.#written) this.save()
  }

  /** Writes the lock file if there are changes, and removes the journal. */
  save(): void {
    if (this.#pending === 0) return
    this.#write()
    removeFile(this.#journal)
    this.#pending = 0
    this.#written = this.files.length
  }

  /** Moves the record of a file to its new name. */
  move(from: string, to: string): void {
    const synced = this.of(from)
    if (!synced) return
    this.set(from, undefined)
    this.set(to, synced)
  }

  #write(): void {
    const sorted = Object.fromEntries(
      Object.entries(this.#all)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([platform, files]) => [
          platform,
          Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))),
        ]),
    )
    replaceFile(this.#file, `${stringifyJson({ version: 1, platforms: sorted }, null, 2)}\n`, { mode: 'keep' })
  }

  /** Applies the changes of a run that was killed. Again after the lock file was written, they change nothing. */
  #applyJournal(): void {
    for (const line of readLines(this.#journal)) {
      const { platform, file, record } = (parseJsonLine(line) ?? {}) as Partial<LockChange>
      if (typeof platform !== 'string' || typeof file !== 'string') continue
      this.#pending++
      const own = (this.#all[platform] ??= {})
      if (record) own[file] = record
      else delete own[file]
    }
  }

  #read(): LockContents {
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw usageError(`${this.#file} could not be read: ${describeWriteError(error)}.`)
    }
    try {
      const { version, platforms } = parseJson(text) as { version: number; platforms: LockContents }
      if (version === 1 && typeof platforms === 'object' && platforms !== null) return platforms
    } catch {
      // Reported below.
    }
    throw usageError(
      `${this.#file} is not a valid lock file.`,
      'Restore the committed one, or delete it: then files and resources are matched by name.',
    )
  }
}
