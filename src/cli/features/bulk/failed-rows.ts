import { createHash } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { formatCsvLine } from '../../../node/format-csv.ts'
import { stringifyJson } from '../../../node/json.ts'
import { renameFile } from '../../../node/operating-system.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { System } from '../../program/system.ts'
import type { FailedFile, ProgressFile } from './progress-file.ts'
import { errorColumn, isOwnColumn, rowColumn } from './rows/column-mapping.ts'
import type { Row, RowEncoding } from './rows/read-rows.ts'
import type { RowSource } from './rows/row-source.ts'

/**
 * Writes failed rows to a file, unchanged and with their error, so that the user can fix and send them again. The file has the row
 * number of the original in `rowColumn`: sending it marks that row as done, so users' files keep the names of these columns.
 */
interface FailedRows {
  /** Adds a row. `key` identifies the row in the original file. */
  add(row: Row, message: string, key: string): void
  readonly count: number
  /** Closes the file and returns its path; undefined if no row was added. */
  close(): string | undefined
}

/**
 * Checks before anything is sent that the `--failed` file can be written. Existing files are not overwritten, except
 * `ownFile`.
 *
 * @throws ClientFailure `usage`
 */
export function requireUsableFailedFile(system: System, given: string | undefined, ownFile?: string): void {
  if (given === undefined) return
  const file = resolve(system.cwd, given)
  const draft = `${file}.part`
  for (const candidate of [file, draft])
    if (candidate !== ownFile && lstatSync(candidate, { throwIfNoEntry: false }))
      throw usageError(
        `--failed: ${candidate} already exists and is not overwritten. Nothing was sent.`,
        'Pass a new file, or move that one.',
      )
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    rmSync(draft)
  } catch (error) {
    throw usageError(
      `--failed: ${file} cannot be written: ${(error as Error).message}. Nothing was sent.`,
      'Pass a file in a folder that exists and that you can write to.',
    )
  }
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Returns whether a file of failed rows exists and is unchanged since it was written. */
function isAsWritten({ path, hash }: FailedFile): boolean {
  try {
    return hashOf(path) === hash
  } catch {
    return false
  }
}

/** Returns the path of the failed-rows file of an earlier run if it is unchanged; such a file may be replaced. */
export const unchangedFailedFile = ({ failedFile }: ProgressFile): string | undefined =>
  failedFile && isAsWritten(failedFile) ? failedFile.path : undefined

/**
 * Deletes the failed-rows file of an earlier run before its rows are tried again, because sending both files would send
 * them twice. A file that was changed since is not deleted.
 */
export async function removeFailedFile({ notes }: Context, progress: ProgressFile): Promise<void> {
  const { failedFile } = progress
  if (failedFile === undefined) return
  const isUnchanged = isAsWritten(failedFile)
  const exists = existsSync(failedFile.path)
  if (isUnchanged) rmSync(failedFile.path, { force: true })
  progress.recordFailedFile(null)
  if (isUnchanged)
    await notes.note(`Removed ${failedFile.path} of an earlier run. Its rows are read from the original file.`)
  else if (exists)
    await notes.warn(
      `${failedFile.path} was changed since an earlier run and is not removed. This run reads the original file, without those changes. To send the changed rows, import that file. First delete the rows from it that this run sends: they would be sent twice.`,
    )
}

/**
 * Creates the writer of failed rows; the file is opened when the first row is added. `given` is the path. By default,
 * the file gets an unused name beside the input.
 */
export function failedRows(
  system: System,
  source: RowSource,
  encoding: RowEncoding,
  given: string | undefined,
  progress: ProgressFile | undefined,
): FailedRows {
  const isCsv = encoding.format === 'csv'
  const ending = isCsv ? (source.ending === '.tsv' ? '.tsv' : '.csv') : '.ndjson'
  const wanted =
    given === undefined ? `${source.stem.replace(/\.failed(-\d+)?$/, '')}.failed${ending}` : resolve(system.cwd, given)
  let [file, draft] = ['', '']
  let descriptor: number | undefined
  let count = 0

  function open(row: Row): number {
    const opened = openDraft(wanted)
    ;({ file, draft } = opened)
    writeHeader(opened.descriptor, row)
    return opened.descriptor
  }

  function writeHeader(opened: number, row: Row): void {
    // The added columns come first, so that rows with more cells than the header keep their columns aligned.
    if (isCsv)
      writeSync(
        opened,
        formatCsvLine([errorColumn, rowColumn, ...row.columns.filter((it) => !isOwnColumn(it))], encoding.separator),
      )
  }

  return {
    get count() {
      return count
    },
    add(row, message, key) {
      descriptor ??= open(row)
      writeSync(
        descriptor,
        isCsv
          ? csvRow(row, message, key)
          : `${stringifyJson({ ...rowObject(row), [errorColumn]: message, [rowColumn]: key })}\n`,
      )
      count += 1
    },
    close() {
      if (descriptor === undefined) return undefined
      closeSync(descriptor)
      descriptor = undefined
      // Recorded first: a file that is not recorded would not be removed by the next run, and its rows could be sent twice.
      progress?.recordFailedFile({ path: file, hash: hashOf(draft) })
      renameFile(draft, file)
      return file
    },
  }

  function csvRow(row: Row, message: string, key: string): string {
    const cells = row.columns.flatMap((it, n) => (isOwnColumn(it) ? [] : [String(row.values[n] ?? '')]))
    return formatCsvLine(
      [message, key, ...cells, ...row.values.slice(row.columns.length).map(String)],
      encoding.separator,
    )
  }
}

const rowObject = ({ columns, values }: Row): object => Object.fromEntries(columns.map((it, n) => [it, values[n]]))

interface Draft {
  readonly file: string
  readonly draft: string
  readonly descriptor: number
}

/**
 * Opens the draft of a file of failed rows. The file gets an unused name: the user may still be editing the one of an
 * earlier run, and another run of the same file, to another target, may write its own at the same time.
 * @throws ClientFailure `usage` if it cannot be written
 */
function openDraft(wanted: string): Draft {
  const { dir, name, ext } = parse(wanted)
  for (let n = 1; ; n++) {
    const file = n === 1 ? wanted : join(dir, `${name}-${n}${ext}`)
    const draft = `${file}.part`
    let descriptor: number | undefined
    try {
      descriptor = existsSync(file) ? undefined : openSync(draft, 'wx', 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw usageError(
          `Failed rows cannot be written to ${file}: ${(error as Error).message}.`,
          'Pass another file with --failed.',
        )
    }
    if (descriptor === undefined) continue
    if (!existsSync(file)) return { file, draft, descriptor }
    // Another run has just finished it.
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
}
