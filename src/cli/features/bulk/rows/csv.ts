import { parseCsv } from '../../../../node/parse-csv.ts'
/** One row of a CSV text. */
export interface CsvRow {
  /** The line on which it starts, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** A sentence that describes a syntax error of the row. */
  readonly broken?: string
}

export interface CsvReader {
  /** Returns the rows completed so far. */
  push(text: string): CsvRow[]
  /** Returns the last row. */
  end(): CsvRow[]
}

/** Maximum number of characters of a row. A longer one has a quote that was never closed. */
const maxRowLength = 1_000_000

const unclosedQuote = 'Unclosed quote.'

export const separators = [',', ';', '\t'] as const

/** A first line such as `sep=;`, with which a spreadsheet names the separator of the other lines. */
const separatorLine = /^\ufeff?"?sep=([^\r\n"]|\\t)"?(?=[\r\n]|$)/i

/** Returns the separator that the first line names, otherwise the most frequent one of the first line outside quotes. */
export function separatorOf(text: string): string {
  const named = separatorLine.exec(text)?.[1]
  if (named !== undefined) return named === '\\t' ? '\t' : named
  const first = /^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const count = (it: string): number => first.split(it).length
  // On a tie the later one wins: a column name may contain a comma, but hardly a tab.
  return separators.reduce<string>((best, it) => (count(it) > 1 && count(it) >= count(best) ? it : best), ',')
}

/**
 * Creates a streaming CSV reader (RFC 4180, any line ends). It skips blank lines, rows of empty cells, which
 * spreadsheets write below the last row, and a line that names the separator. Beyond the text of one `push` it holds one
 * row in memory, whatever the size of the file.
 */
export async function createCsvReader(separator: string): Promise<CsvReader> {
  let left = ''
  let line = 1

  /** Parses whole lines. Returns the rows; what is left starts with a row that is not complete. */
  function take(text: string): CsvRow[] {
    const { rows, rest } = parseCsv(text, separator)
    left = rest
    return rows.flatMap((cells) => {
      const row = { line, cells }
      line += 1
      for (const cell of cells) for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) line += 1
      const isSkipped =
        cells.every((it) => it.trim() === '') || (row.line === 1 && separatorLine.test(cells.join(separator)))
      return isSkipped ? [] : row
    })
  }

  return {
    push(text) {
      const all = left + text
      // A carriage return at the end may be the first half of a line end.
      const end = Math.max(all.lastIndexOf('\n'), all.slice(0, -1).lastIndexOf('\r')) + 1
      const rows = take(all.slice(0, end))
      left += all.slice(end)
      if (left.length <= maxRowLength) return rows
      // A row of this length is never intended. The quote on its first line is the error, and the text after that line
      // is read as lines again.
      const first = left.search(/[\r\n]/)
      left = first < 0 ? '' : left.slice(first + 1)
      return [...rows, { line: line++, cells: [], broken: unclosedQuote }]
    },
    end() {
      const rows = take(left)
      if (left === '') return rows
      const at = line
      const [row] = take(`${left}"`)
      left = ''
      return [...rows, { line: at, cells: row?.cells ?? [], broken: unclosedQuote }]
    },
  }
}
