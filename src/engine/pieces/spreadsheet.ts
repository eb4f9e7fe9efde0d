import { isObject } from '../../contract/values/json-object.ts'
import { parseJson } from '../../node/json.ts'
import type { SheetLocation, SheetRow } from '../ports/integrations.ts'
import { anyText, anything, fields, flag, optionalText, text, wholeNumber } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

/** Both spellings, because newer editors use camel case. */
const locationFields = {
  spreadsheet_id: optionalText.describe('Name or id of the spreadsheet; required'),
  spreadsheetId: optionalText.describe('Another name of spreadsheet_id'),
  sheet_id: optionalText.describe('Name of the sheet (default: the first)'),
  sheetId: optionalText.describe('Another name of sheet_id'),
}
const rowNumber = wholeNumber(0, 1, 10_000_000)
/** Both spellings of the row to change. */
const rowFields = {
  row_id: rowNumber.optional().describe('Number of the row; required. The row of headings is 1'),
  rowId: rowNumber.optional().describe('Another name of row_id'),
}
const cells = anything.describe('Cells by heading or column letter, a list of cells from column A, or its JSON as text')

interface LocationInput {
  readonly spreadsheet_id?: string | undefined
  readonly spreadsheetId?: string | undefined
  readonly sheet_id?: string | undefined
  readonly sheetId?: string | undefined
}

function parseLocation(input: LocationInput): SheetLocation {
  const spreadsheet = input.spreadsheet_id ?? input.spreadsheetId
  if (spreadsheet === undefined) throw new StepFailure('spreadsheet_id is required.')
  return { spreadsheet, sheet: input.sheet_id ?? input.sheetId }
}

/** Returns cells by header or column letter. A list fills the columns from A. */
function toCells(values: unknown): Record<string, string> {
  const given = typeof values === 'string' ? parsed(values) : values
  if (Array.isArray(given))
    return Object.fromEntries(given.map((it, location) => [columnLetter(location), anyText.parse(it)]))
  if (!isObject(given))
    throw new StepFailure('values must be an object with a cell for each column, or a list of cells.')
  return Object.fromEntries(Object.entries(given).map(([name, cell]) => [name, anyText.parse(cell)]))
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Returns the letters of a column index: 0 is A, 26 is AA. */
export function columnLetter(column: number): string {
  let letters = ''
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26))
    letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

const toOutput = (row: SheetRow) => ({ row: row.number, values: row.values })

const insertRow = action({
  title: 'Add a row to a spreadsheet',
  changesExternalData: true,
  input: fields({ ...locationFields, values: cells }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) =>
    done(toOutput(await ports.sheets.append({ account, key }, parseLocation(input), toCells(input.values)))),
})

const updateRow = action({
  title: 'Update a row of a spreadsheet',
  changesExternalData: true,
  input: fields({ ...locationFields, ...rowFields, values: cells }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) => {
    const row = input.row_id ?? input.rowId
    if (!row) throw new StepFailure('row_id is required.')
    return done(toOutput(await ports.sheets.update({ account, key }, parseLocation(input), row, toCells(input.values))))
  },
})

const deleteRow = action({
  title: 'Delete a row of a spreadsheet',
  changesExternalData: true,
  input: fields({ ...locationFields, ...rowFields }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) => {
    const row = input.row_id ?? input.rowId
    if (!row) throw new StepFailure('row_id is required.')
    await ports.sheets.remove({ account, key }, parseLocation(input), row)
    return done({ row, success: true })
  },
})

const pageSize = 1000

/** Fails for a missing column: its rows would seem empty, and readers that resume from the last row would skip them. */
function requireColumn(rows: readonly SheetRow[], column: string): void {
  const [first] = rows
  if (!first || rows.some((it) => Object.hasOwn(it.values, column))) return
  throw new StepFailure(
    `The spreadsheet has no column ${column}. Its columns are ${Object.keys(first.values).join(', ')}.`,
    {
      classification: 'missing_record',
    },
  )
}

const findRows = action({
  title: 'Find rows of a spreadsheet',
  input: fields({
    ...locationFields,
    columnName: text.describe('Heading of the column to search'),
    searchValue: anyText.describe('Text that a cell must have; empty finds every row'),
    matchCase: flag.describe('Whether upper and lower case differ'),
    startingRow: wholeNumber(1, 1, 10_000_000).describe('Number of the first row to search'),
    numberOfRows: wholeNumber(1, 1, 1000).describe('Maximum number of rows to return'),
  }),
  connection: 'spreadsheet',
  run: async (input, { account, ports, signal }) => {
    const location = parseLocation(input)
    const fold = (value: string): string => (input.matchCase ? value : value.toLowerCase())
    const wanted = fold(input.searchValue)
    const found: SheetRow[] = []
    for (let after = input.startingRow - 1; found.length < input.numberOfRows; ) {
      signal.throwIfAborted()
      const page = await ports.sheets.rows(account, location, after, pageSize)
      requireColumn(page, input.columnName)
      found.push(...page.filter((row) => wanted === '' || fold(row.values[input.columnName] ?? '') === wanted))
      const last = page.at(-1)
      if (!last || page.length < pageSize) break
      after = last.number
    }
    return done(found.slice(0, input.numberOfRows).map(toOutput))
  },
})

const newRow = {
  title: 'New row in a spreadsheet',
  kind: 'external',
  input: fields({ ...locationFields }),
  connection: 'spreadsheet',
} as const

export const spreadsheet: Piece = {
  names: ['spreadsheet', 'google-sheets'],
  triggers: { new_row_added: newRow, googlesheets_new_row_added: newRow },
  actions: { insert_row: insertRow, update_row: updateRow, delete_row: deleteRow, find_rows: findRows },
}
