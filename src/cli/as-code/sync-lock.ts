import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../errors/usage-error.ts'

/** What a file and its thing on a platform were when they were last the same. */
export interface SyncRecord {
  readonly id: number | string
  /** Hash of the file's content. */
  readonly here: string
  /** Hash of what the platform shows. */
  readonly there: string
  /** Fields the platform had and the file did not: a file need not say everything. Any other that is missing was taken out. */
  readonly omits?: readonly string[]
}

/** By the address of the platform and the account on it, then by the path of the file inside the folder. */
type LockContents = Record<string, Record<string, SyncRecord>>

const lockFileName = 'parley.lock.json'

/** The record of what was last the same, kept beside the files: ids and hashes, no secrets. */
export class SyncLock {
  readonly #file: string
  readonly #pid: number
  readonly #all: LockContents
  readonly #own: Record<string, SyncRecord>

  /** @throws UsageError for a file that cannot be read as one */
  constructor(folder: string, platform: string, pid: number) {
    this.#pid = pid
    this.#file = join(folder, lockFileName)
    this.#all = this.#read()
    this.#own = this.#all[platform] ??= {}
  }

  of(file: string): SyncRecord | undefined {
    return Object.hasOwn(this.#own, file) ? this.#own[file] : undefined
  }

  get files(): readonly string[] {
    return Object.keys(this.#own)
  }

  /** The part of it that is about the files of one folder; `''` for those that are in none. */
  forFolder(folder: string): { readonly files: readonly string[]; of(file: string): SyncRecord | undefined } {
    const isIn = (file: string): boolean =>
      file.slice(0, file.lastIndexOf('/') + 1) === (folder === '' ? '' : `${folder}/`)
    return { files: this.files.filter(isIn), of: (file) => this.of(file) }
  }

  /** Kept at once and whole: a run that is killed has told of all it did. */
  set(file: string, synced: SyncRecord | undefined): void {
    if (synced) this.#own[file] = synced
    else delete this.#own[file]
    this.#write()
  }

  /** What was remembered of one file is that of another from now on. */
  move(from: string, to: string): void {
    const synced = this.of(from)
    if (!synced) return
    delete this.#own[from]
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
    replaceFile(this.#file, `${JSON.stringify({ version: 1, platforms: sorted }, null, 2)}\n`, this.#pid)
  }

  #read(): LockContents {
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw usageError(`${this.#file} could not be read: ${(error as Error).message}.`)
    }
    try {
      const { version, platforms } = JSON.parse(text) as { version: number; platforms: LockContents }
      if (version === 1 && typeof platforms === 'object' && platforms !== null) return platforms
    } catch {
      // Told below.
    }
    throw usageError(
      `${this.#file} is not a valid lock file.`,
      'Restore the committed one, or delete it: then files and resources are matched by name.',
    )
  }
}

/** Writes a file whole or not at all. */
export function replaceFile(file: string, text: string, pid: number): void {
  const draft = `${file}.${pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}
