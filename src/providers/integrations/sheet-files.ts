import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatCsvLine } from '../../node/format-csv.ts'
import { parseCsv } from '../../node/parse-csv.ts'
import { replaceFile } from '../../node/replace-file.ts'
import type { ConnectionAccess } from '../ports/connection-access.ts'
import type { SheetLocation } from '../ports/spreadsheets.ts'

/** Maximum size of a sheet in bytes. */
const maxFileBytes = 16 * 1024 * 1024

/** A problem with a spreadsheet. The message is shown to users. */
export class SheetFailure extends Error {
  readonly because: 'missing' | undefined

  constructor(message: string, because?: 'missing') {
    super(message)
    this.because = because
  }
}

/**
 * Returns whether a name is safe as part of a path: letters, digits, spaces, dots, dashes and underscores, and neither
 * hidden nor a parent folder.
 */
const isName = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u.test(text) && !text.includes('..')

/**
 * Returns the file of a sheet: `<spreadsheet>.csv` for the first one, `<spreadsheet>/<sheet>.csv` for others. The
 * folder is the one the connection names, else the account's folder below `folder`. @throws SheetFailure for an invalid
 * name
 */
export function sheetFile(
  folder: string,
  { account, secret }: ConnectionAccess,
  { spreadsheet, sheet }: SheetLocation,
): string {
  const named = secret.folder
  const root = typeof named === 'string' && named !== '' ? named : join(folder, 'spreadsheets', String(account))
  const names = sheet === undefined || sheet === '0' ? [spreadsheet] : [spreadsheet, sheet]
  const invalidName = names.find((it) => !isName(it))
  if (invalidName !== undefined)
    throw new SheetFailure(`Invalid spreadsheet name ${JSON.stringify(invalidName)}.`, 'missing')
  return `${join(root, ...names)}.csv`
}

/** Reads all rows, headers first. @throws SheetFailure for a file that is missing, too large or not CSV */
export function readRows(file: string): string[][] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new SheetFailure(`Spreadsheet not found: ${file}. Create this CSV file.`, 'missing')
  if (found.size > maxFileBytes)
    throw new SheetFailure(`The spreadsheet ${file} is larger than ${maxFileBytes / 1024 / 1024} MB.`)
  const { rows, rest } = parseCsv(readFileSync(file, 'utf8'), ',')
  if (rest !== '') throw new SheetFailure(`The spreadsheet ${file} is not valid CSV: a quote is never closed.`)
  return rows
}

/** Replaces all rows atomically: readers see either the old rows or the new ones. */
export function writeRows(file: string, rows: readonly (readonly string[])[]): void {
  replaceFile(file, rows.map((row) => formatCsvLine(row, ',')).join(''), { mode: 'keep' })
}
