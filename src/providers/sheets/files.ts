import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SheetPlace } from '../../automation/ports.ts'
import type { Whose } from '../../services/connected-ports.ts'
import { formatCsv, parseCsv } from './csv.ts'

/** Bytes of a sheet. */
const largest = 16 * 1024 * 1024

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
export function fileOf(folder: string, { account, access }: Whose, { spreadsheet, sheet }: SheetPlace): string {
  const named = access.folder
  const root = typeof named === 'string' && named !== '' ? named : join(folder, 'spreadsheets', String(account))
  const names = sheet === undefined || sheet === '0' ? [spreadsheet] : [spreadsheet, sheet]
  const odd = names.find((it) => !isName(it))
  if (odd !== undefined) throw new SheetFailure(`${JSON.stringify(odd)} is no name of a spreadsheet.`, 'missing')
  return `${join(root, ...names)}.csv`
}

/** All rows, the headers first. @throws SheetFailure for a file that is not there, too large or no CSV */
export function readRows(file: string): string[][] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new SheetFailure(`There is no spreadsheet ${file}: a local one is a CSV file there.`, 'missing')
  if (found.size > largest) throw new SheetFailure(`The spreadsheet ${file} is larger than ${largest / 1024 / 1024} MB.`)
  const rows = parseCsv(readFileSync(file, 'utf8'))
  if (!rows) throw new SheetFailure(`The spreadsheet ${file} is no CSV: a quote is never closed.`)
  return rows
}

/** Puts new rows in place of all there were, at once: whoever reads sees the old ones or the new. */
export function writeRows(file: string, rows: readonly (readonly string[])[]): void {
  const fresh = `${file}.new`
  // Whoever could read it still can.
  writeFileSync(fresh, formatCsv(rows), { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600 })
  renameSync(fresh, file)
}
