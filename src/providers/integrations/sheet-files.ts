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
  override readonly name = 'SheetFailure'
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

/** Place of a sheet. */
export interface SheetPlace {
  /** `<spreadsheet>.csv` for the first sheet, `<spreadsheet>/<sheet>.csv` for others, below the folder. */
  readonly file: string
  /** Name in the database; undefined if the connection names a folder. */
  readonly name: string | undefined
  /** The folder that the connection names. */
  readonly folder: string | undefined
}

/** Returns the folder that a connection names; undefined for the folder or database of the platform. */
export const namedFolder = ({ secret }: ConnectionAccess): string | undefined =>
  typeof secret.folder === 'string' && secret.folder !== '' ? secret.folder : undefined

/**
 * Returns the place of a sheet. The folder is the one that the connection names, else the account's folder below
 * `folder`. @throws SheetFailure for an invalid name
 */
export function sheetPlace(
  folder: string,
  access: ConnectionAccess,
  { spreadsheet, sheet }: SheetLocation,
): SheetPlace {
  const named = namedFolder(access)
  const names = sheet === undefined || sheet === '0' ? [spreadsheet] : [spreadsheet, sheet]
  const invalidName = names.find((it) => !isName(it))
  if (invalidName !== undefined)
    throw new SheetFailure(`Invalid spreadsheet name ${JSON.stringify(invalidName)}.`, 'missing')
  const own = ['spreadsheets', String(access.account), ...names]
  return named === undefined
    ? { file: `${join(folder, ...own)}.csv`, name: `${own.join('/')}.csv`, folder: undefined }
    : { file: `${join(named, ...names)}.csv`, name: undefined, folder: named }
}

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
  return readFileSync(file, 'utf8')
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
