/** One row of a CSV text. */
export interface CsvRow {
  /** The line on which it starts, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** A sentence that describes a syntax error of the row. */
  readonly broken?: string
}

/** Maximum number of characters of a row. A longer one has a quote that was never closed. */
const maxRowLength = 1_000_000

export const separators = [',', ';', '\t'] as const

/** Returns the most frequent separator of the first line outside quotes. */
export function separatorOf(text: string): string {
  const first = /^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const count = (it: string): number => first.split(it).length
  // On a tie the later one wins: a column name may contain a comma, but hardly a tab.
  return separators.reduce<string>((best, it) => (count(it) > 1 && count(it) >= count(best) ? it : best), ',')
}

interface ParsedRow {
  readonly cells: string[]
  readonly next: number
  readonly lines: number
  readonly broken?: string
}

type Finder = (from: number) => number

/**
 * Returns a function that finds the next occurrence of a string. Its positions must not decrease; it returns Infinity
 * if there is none.
 */
function finder(text: string, it: string): Finder {
  let next = -1
  return (from) => {
    if (next < from) {
      next = text.indexOf(it, from)
      if (next < 0) next = Infinity
    }
    return next
  }
}

/**
 * Creates a streaming CSV reader (RFC 4180, any line ends, blank lines skipped). It holds one row in memory, whatever
 * the size of the file.
 *
 * Each `push` returns the rows completed so far; `end` returns the last one.
 */
export function csvReader(separator: string): { push(text: string): CsvRow[]; end(): CsvRow[] } {
  let left = ''
  let line = 1

  /** Returns the complete rows of `text`, and the position of the first incomplete one. */
  function take(text: string, isLast: boolean): { rows: CsvRow[]; upTo: number } {
    const rows: CsvRow[] = []
    // Each finder remembers its next position, so that it does not search again for every row.
    const [ends, returns, quotes] = ['\n', '\r', '"'].map((it) => finder(text, it)) as [Finder, Finder, Finder]
    let from = 0
    while (from < text.length) {
      const end = ends(from)
      const carriage = returns(from)
      // A carriage return alone also ends a line, as in files of old programs.
      const stop = carriage < end - 1 ? carriage : end
      const row = quotes(from) < stop ? quotedRow(text, from, isLast) : plainRow(text, from, stop, isLast)
      if (!row) break
      if (row.cells.length > 1 || row.cells[0] !== '')
        rows.push({ line, cells: row.cells, ...(row.broken !== undefined && { broken: row.broken }) })
      line += row.lines
      from = row.next
    }
    return { rows, upTo: from }
  }

  function plainRow(text: string, from: number, stop: number, isLast: boolean): ParsedRow | undefined {
    // The next chunk may begin with the line feed that follows this carriage return.
    if (stop >= text.length - (text[stop] === '\r' ? 1 : 0) && !isLast) return undefined
    const end = stop > from && text[stop] === '\n' && text[stop - 1] === '\r' ? stop - 1 : Math.min(stop, text.length)
    return { cells: text.slice(from, end).split(separator), next: Math.min(stop + 1, text.length), lines: 1 }
  }

  function quotedRow(text: string, from: number, isLast: boolean): ParsedRow | undefined {
    const cells: string[] = []
    let cell = ''
    let lines = 1
    let at = from
    for (;;) {
      if (text[at] === '"' && cell === '') {
        for (at += 1; ; at++) {
          const close = text.indexOf('"', at)
          if (close < 0) {
            if (!isLast) return undefined
            return { cells: [...cells, cell], next: text.length, lines, broken: 'Unclosed quote.' }
          }
          const part = text.slice(at, close)
          for (let n = part.indexOf('\n'); n >= 0; n = part.indexOf('\n', n + 1)) lines++
          cell += part
          at = close
          if (text[close + 1] !== '"') break
          cell += '"'
          at = close + 1
        }
        at += 1
        // The next chunk may begin with the second quote of a pair.
        if (at >= text.length && !isLast) return undefined
      }
      const start = at
      while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++
      cell += text.slice(start, at)
      if (at >= text.length && !isLast) return undefined
      if (text[at] === separator) {
        cells.push(cell)
        cell = ''
        at += 1
        continue
      }
      cells.push(cell)
      if (text[at] === '\r') {
        if (at + 1 === text.length && !isLast) return undefined
        at += text[at + 1] === '\n' ? 2 : 1
      } else at += 1
      return { cells, next: Math.min(at, text.length), lines }
    }
  }

  return {
    push(text) {
      left += text
      const { rows, upTo } = take(left, false)
      left = left.slice(upTo)
      if (left.length <= maxRowLength) return rows
      // A row of this length is never intended. The quote on its first line is the error, and the text after that line
      // is read as lines again.
      const end = left.search(/[\r\n]/)
      const broken = { line, cells: [], broken: 'Unclosed quote.' }
      left = end < 0 ? '' : left.slice(end + 1)
      line += 1
      return [...rows, broken]
    },
    end() {
      const { rows } = take(left, true)
      left = ''
      return rows
    },
  }
}

const written = (cell: string, separator: string): string =>
  cell.includes(separator) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Formats one row as a line of CSV. */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((it) => written(it, separator)).join(separator)}\n`
