import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from './data-files.ts'
import { whileFileLocked } from './file-lock.ts'
import { parseJson, stringifyJson } from './json.ts'
import { replaceFile } from './replace-file.ts'

/**
 * What a data folder has since its first start. A file that is missing later was lost: the folder is not a new one. The
 * marker is written after the files that it names, so that a crash in between leaves a folder of which less is known.
 */
interface FolderMarker {
  /** Id of its PostgreSQL database; absent if the folder uses its SQLite file, or has no platform. */
  readonly database?: string
  readonly files: readonly MarkedFile[]
  /** When a check found the database damaged, ISO 8601. Absent since a later check found no damage. */
  readonly damaged_at?: string
}

/** The files that a used folder must have. Markers on the disk have these names, and so do the files: they never change. */
const markedFiles = [dataFiles.sqlite, dataFiles.key, dataFiles.journal, 'history'] as const
type MarkedFile = (typeof markedFiles)[number]

/** Name of the marker in the data folder. Used folders are recognized by it: it never changes. */
export const markerName = 'folder.json'

const acceptance = 'parley server restore <file> and parley server reset accept that it is missing.'
const losses: Readonly<Record<MarkedFile, { readonly what: string; readonly hint: string }>> = {
  [dataFiles.sqlite]: {
    what: 'database',
    hint: 'Copy it back, or restore a backup: parley server restore <file>. To delete what is left and start again: parley server reset.',
  },
  [dataFiles.key]: {
    what: 'encryption key',
    hint: 'Copy it back, or restore a backup, which has it: parley server restore <file>. To delete all data and start again: parley server reset.',
  },
  [dataFiles.journal]: {
    what: 'operations journal',
    hint: `Copy it back: without it, an operation without a known outcome could be paid twice. ${acceptance} If it is lost and the data are not, compare parley billing usage with what you know, then delete ${markerName}.`,
  },
  history: {
    what: 'history',
    hint: `Copy it back: without it, earlier changes cannot be undone. ${acceptance} If it is lost and the data are not, delete ${markerName}.`,
  },
}

/**
 * A data folder that was used before has lost something. The command line ends with `exit` and prints `hint`. Scripts read
 * `code` in the report of a lost journal (journal.ts), and elsewhere `exit`, because error-report.ts knows no code of such an
 * error.
 */
export class FolderIncomplete extends Error {
  override readonly name = 'FolderIncomplete'
  readonly exit = 'usage'
  readonly code = 'data_missing'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Reads the marker of a data folder; undefined if it has none. @throws FolderIncomplete for a damaged one */
export function readMarker(dataDir: string): FolderMarker | undefined {
  let text: string
  try {
    text = readFileSync(join(dataDir, markerName), 'utf8')
  } catch {
    // If the folder itself is inaccessible, opening its data reports the cause.
    return undefined
  }
  const found = parse(text)
  if (found) return found
  throw new FolderIncomplete(
    `${join(dataDir, markerName)} is damaged.`,
    'Check that the data folder is complete, then delete this file. Parley writes it again.',
  )
}

function parse(text: string): FolderMarker | undefined {
  try {
    const { database, files, damaged_at } = parseJson(text) as Partial<FolderMarker>
    if (!Array.isArray(files)) return undefined
    return {
      ...(typeof database === 'string' && { database }),
      files,
      ...(typeof damaged_at === 'string' && { damaged_at }),
    }
  } catch {
    return undefined
  }
}

/** Returns whether a data folder has had a platform, as far as its marker can be read. */
export function isMarkedPlatform(dataDir: string): boolean {
  try {
    const marker = readMarker(dataDir)
    return marker?.database !== undefined || marker?.files.includes(dataFiles.sqlite) === true
  } catch {
    return true
  }
}

/** Returns whether a data folder has a file, or a folder, with content. */
export function hasContent(dataDir: string, name: MarkedFile): boolean {
  const path = join(dataDir, name)
  try {
    const found = statSync(path)
    return found.isDirectory() ? readdirSync(path).length > 0 : found.size > 0
  } catch (error) {
    // A file that cannot be read is not missing: reading it reports the cause.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Throws FolderIncomplete if a data folder has had one of these files and does not have it any more. */
export function requireFiles(dataDir: string, ...names: readonly MarkedFile[]): void {
  const known = readMarker(dataDir)?.files ?? []
  for (const name of names) if (known.includes(name) && !hasContent(dataDir, name)) throw missing(dataDir, name)
}

/** Returns the error for a file that a used folder does not have. */
export const missing = (dataDir: string, name: MarkedFile): FolderIncomplete =>
  new FolderIncomplete(
    `The data folder ${dataDir} is not new, but its ${losses[name].what} is missing or empty: ${name}.`,
    losses[name].hint,
  )

/** Adds to the marker of a data folder which of these files it has. */
export function markFiles(
  dataDir: string,
  names: readonly MarkedFile[],
  options: { readonly isDurable?: boolean } = {},
): void {
  update(dataDir, options, (marker) => ({
    ...marker,
    files: markedFiles.filter((it) => marker.files.includes(it) || (names.includes(it) && hasContent(dataDir, it))),
  }))
}

/**
 * Marks a data folder as one with a platform, in the PostgreSQL database with this id or in its SQLite file. `isReplaced`
 * accepts everything that is missing, because the data were replaced.
 */
export function markPlatform(
  dataDir: string,
  database: string | undefined,
  { isReplaced = false, ...options }: { readonly isReplaced?: boolean; readonly isDurable?: boolean } = {},
): void {
  update(dataDir, options, ({ files, damaged_at }) => ({
    ...(database !== undefined && { database }),
    ...(damaged_at !== undefined && !isReplaced && { damaged_at }),
    files: markedFiles.filter((file) => {
      if (file === dataFiles.sqlite) return database === undefined
      return (!isReplaced && files.includes(file)) || hasContent(dataDir, file)
    }),
  }))
}

/** Returns when a check found the database of a data folder damaged; undefined if it is not, or if that cannot be read. */
export function damageTime(dataDir: string): string | undefined {
  try {
    return readMarker(dataDir)?.damaged_at
  } catch {
    return undefined
  }
}

/** Stores when a check found the database of a data folder damaged; undefined if it found no damage. */
export const markDamage = (dataDir: string, at: string | undefined): void =>
  update(dataDir, {}, ({ damaged_at: _, ...marker }) => ({ ...marker, ...(at !== undefined && { damaged_at: at }) }))

/** Removes a file from the marker of a data folder, because Parley itself empties it. */
export const unmarkFile = (dataDir: string, name: MarkedFile): void =>
  update(dataDir, {}, (marker) => ({ ...marker, files: marker.files.filter((it) => it !== name) }))

function update(
  dataDir: string,
  { isDurable = true }: { readonly isDurable?: boolean },
  change: (marker: FolderMarker) => FolderMarker,
): void {
  const textOf = (marker: FolderMarker): string => `${stringifyJson(marker, null, 2)}\n`
  const known = (): FolderMarker => readMarker(dataDir) ?? { files: [] }
  const isSame = (a: FolderMarker, b: FolderMarker): boolean => textOf(a) === textOf(b)
  // Most updates change nothing, and need no lock.
  if (isSame(known(), change(known()))) return
  const file = join(dataDir, markerName)
  whileFileLocked(`${file}.lock`, () => {
    const before = known()
    const after = change(before)
    if (!isSame(before, after)) replaceFile(file, textOf(after), { isDurable })
  })
}
