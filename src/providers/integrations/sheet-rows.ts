import type { SheetRow } from '../ports/spreadsheets.ts'

/** A change of a sheet. Row numbers count from 1 and include the header row. */
export type SheetChange =
  | { readonly kind: 'append'; readonly cells: Readonly<Record<string, string>> }
  | { readonly kind: 'update'; readonly row: number; readonly cells: Readonly<Record<string, string>> }
  | { readonly kind: 'remove'; readonly row: number }

/** Returns the letters of a column: 0 is A, 26 is AA. */
function columnLetter(column: number): string {
  let letters = ''
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26))
    letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

function columnIndex(letters: string): number | undefined {
  if (!/^[A-Z]{1,2}$/.test(letters)) return undefined
  return [...letters].reduce((sum, it) => sum * 26 + it.charCodeAt(0) - 64, 0) - 1
}

/** Returns the name of a column: its header, or its letters if it has none or shares it with an earlier column. */
const columnName = (headers: readonly string[], column: number): string => {
  const header = headers[column] ?? ''
  return header === '' || headers.indexOf(header) !== column ? columnLetter(column) : header
}

/** Returns a row by its number, with the cells by column name. */
export function rowAt(rows: readonly (readonly string[])[], number: number): SheetRow {
  const [headers = []] = rows
  const cells = rows[number - 1] ?? []
  const width = Math.max(headers.length, cells.length)
  return {
    number,
    values: Object.fromEntries(Array.from({ length: width }, (_, at) => [columnName(headers, at), cells[at] ?? ''])),
  }
}

/**
 * Fills cells into a row. A name that is neither a header nor a column letter becomes a new header, so that no value is
 * lost.
 */
function fillRow(headers: string[], row: readonly string[], cells: Readonly<Record<string, string>>): string[] {
  const out = [...row]
  for (const [name, cell] of Object.entries(cells)) {
    const known = headers.indexOf(name)
    const column = known >= 0 ? known : (columnIndex(name) ?? headers.push(name) - 1)
    while (out.length < column) out.push('')
    out[column] = cell
  }
  return out
}

/** Returns the rows after a change, and the number of the changed row. */
export function applyChange(
  rows: readonly (readonly string[])[],
  change: SheetChange,
): { readonly rows: string[][]; readonly number: number } {
  const [headers = [], ...rest] = rows.map((it) => [...it])
  const body = rows.length === 0 ? [] : rest
  if (change.kind === 'remove')
    return { rows: [headers, ...body.filter((_, at) => at !== change.row - 2)], number: change.row }
  if (change.kind === 'append') {
    const row = fillRow(headers, [], change.cells)
    // The columns of a sheet without headers get their letters as headers.
    for (let at = headers.length; rows.length === 0 && at < row.length; at++) headers.push(columnLetter(at))
    return { rows: [headers, ...body, row], number: body.length + 2 }
  }
  return {
    rows: [headers, ...body.map((it, at) => (at === change.row - 2 ? fillRow(headers, it, change.cells) : it))],
    number: change.row,
  }
}
