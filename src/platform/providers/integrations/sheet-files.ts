import { readFileSync, statSync } from 'node:fs'
import { decodeText } from '../../../node/decode-text.ts'
import { formatCsvLine } from '../../../node/format-csv.ts'
import { parseCsv } from '../../../node/parse-csv.ts'
import { replaceFile } from '../../../node/replace-file.ts'

/** Maximum size of a sheet in bytes. */
const maxFileBytes = 16 * 1024 * 1024

/** Reads all rows, headers first. @throws SheetFailure for a file that is missing, too large or not CSV */
export function readRows(file: string): string[][] {
  const text = readText(file)
  if (text === undefined)
    throw new SheetFailure(
      `Spreadsheet not found: ${file}. Create this CSV file, or run: parley server sheets create.`,
      'missing',
    )
  return parseRows(text, file)
}

/** Returns the text of a file; undefined if there is none. @throws SheetFailure for a file that is too large */
export function readText(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return undefined
  if (found.size > maxFileBytes) throw tooLarge(file)
  return decodeText(readFileSync(file))
}

/** Parses the text of a sheet. @throws SheetFailure if it is not CSV */
export function parseRows(text: string, name: string): string[][] {
  const { rows, rest } = parseCsv(text, ',')
  if (rest !== '') throw new SheetFailure(`The spreadsheet ${name} is not valid CSV: a quote is never closed.`)
  return rows
}

/** Formats rows as the text of a sheet. @throws SheetFailure if it is too large */
export function formatRows(rows: readonly (readonly string[])[], name: string): string {
  const text = rows.map((row) => formatCsvLine(row, ',')).join('')
  if (text.length > maxFileBytes) throw tooLarge(name)
  return text
}

const tooLarge = (name: string): SheetFailure =>
  new SheetFailure(`The spreadsheet ${name} is larger than ${maxFileBytes / 1024 / 1024} MB.`)

/** Replaces all rows atomically: readers see either the old rows or the new ones. */
export function writeRows(file: string, rows: readonly (readonly string[])[]): void {
  replaceFile(file, rows.map((row) => formatCsvLine(row, ',')).join(''), { mode: 'keep' })
}

/** A problem with a spreadsheet. The message is shown to users. import-sheets.ts recognizes it by its name. */
export class SheetFailure extends Error {
  override readonly name = 'SheetFailure'
  readonly because: 'missing' | undefined

  constructor(message: string, because?: 'missing') {
    super(message)
    this.because = because
  }
}
