import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SheetLocation } from '../../flow/pieces/ports.ts'
import type { ConnectionAccess } from '../ports/connected-accounts.ts'
import { formatCsv, parseCsv } from './csv.ts'

/** Bytes of a sheet. */
const maxFileBytes = 16 * 1024 * 1024

/** What is wrong with a spreadsheet, in words. */
export class SheetFailure extends Error {
  readonly because: 'missing' | undefined

  constructor(message: string, because?: 'missing') {
    super(message)
    this.because = because
  }
}

/** Neither hidden nor above: letters, digits, spaces, dots, dashes and underscores. */
const isName = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u.test(text) && !text.includes('..')

/**
 * The file of a sheet: `<spreadsheet>.csv` for the first one, `<spreadsheet>/<sheet>.csv` for others; in the folder that the connection names, else in
 * the account's own below `folder`. @throws SheetFailure for a name that is none
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

/** All rows, the headers first. @throws SheetFailure for a file that is not there, too large or no CSV */
export function readRows(file: string): string[][] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new SheetFailure(`Spreadsheet not found: ${file}. Create this CSV file.`, 'missing')
  if (found.size > maxFileBytes)
    throw new SheetFailure(`The spreadsheet ${file} is larger than ${maxFileBytes / 1024 / 1024} MB.`)
  const rows = parseCsv(readFileSync(file, 'utf8'))
  if (!rows) throw new SheetFailure(`The spreadsheet ${file} is not valid CSV: a quote is never closed.`)
  return rows
}

/** Puts new rows in place of all there were, at once: whoever reads sees the old ones or the new. */
export function writeRows(file: string, rows: readonly (readonly string[])[]): void {
  const temporaryFile = `${file}.new`
  // Whoever could read it still can.
  writeFileSync(temporaryFile, formatCsv(rows), { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600 })
  renameSync(temporaryFile, file)
}
