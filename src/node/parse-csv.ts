import { CsvError, type Options, parse } from 'csv-parse/sync'

/** Rows of a CSV text. */
interface ParsedCsv {
  /** The cells of each row; an empty line is a row of one empty cell. */
  readonly rows: string[][]
  /** The text from the first row on whose quote is never closed; empty if there is none. */
  readonly rest: string
}

/**
 * Parses CSV text (RFC 4180, any line ends). Imports, spreadsheets and steps of automations read files of users with it. Each
 * of them decides what `rest` means: more to read, or invalid CSV.
 */
export function parseCsv(text: string, separator: string): ParsedCsv {
  const options: Options<string[]> = {
    bom: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
  }
  try {
    return { rows: parse(text, options) as string[][], rest: '' }
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return parseUntilUnclosed(text, options)
    throw error
  }
}

/** Parses the rows in front of a quote that is never closed. Only here, because positions make reading twice as slow. */
function parseUntilUnclosed(text: string, options: Options<string[]>): ParsedCsv {
  const bytes = Buffer.from(text)
  const rows: string[][] = []
  let end = 0
  try {
    parse(bytes, {
      ...options,
      on_record: (cells: string[], info) => {
        rows.push(cells)
        end = info.bytes
        return cells
      },
    })
  } catch {
    // The same error again: the rows in front of it are here now.
  }
  return { rows, rest: bytes.toString('utf8', end) }
}
