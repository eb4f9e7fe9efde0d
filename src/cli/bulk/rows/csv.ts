/** One row of a CSV text. */
export interface CsvRow {
  /** The line it begins on, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** What is wrong with how it is written; a sentence. */
  readonly broken?: string
}

/** Characters of one row at most: more is a quote that was never closed. */
const maxRowLength = 1_000_000

export const separators = [',', ';', '\t'] as const

/** The separator that stands most often in the first line, outside quotes. */
export function separatorOf(text: string): string {
  const first = /^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const count = (it: string): number => first.split(it).length
  // A name may have a comma in it, and hardly a tab.
  return separators.reduce<string>((best, it) => (count(it) > 1 && count(it) >= count(best) ? it : best), ',')
}

interface ParsedRow {
  readonly cells: string[]
  readonly next: number
  readonly lines: number
  readonly broken?: string
}

type Finder = (from: number) => number

/** Where a character stands next, from a place that only moves on; behind the end where it does not. */
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
 * Reads CSV (RFC 4180, any line ends, quotes, blank lines passed over) piece by piece: memory for one row, however long the file is.
 * Each call gives the rows that are whole by now; `end` the last one.
 */
export function csvReader(separator: string): { push(text: string): CsvRow[]; end(): CsvRow[] } {
  let left = ''
  let line = 1

  /** The rows of `text`, and where the first one that is not whole begins. */
  function take(text: string, isLast: boolean): { rows: CsvRow[]; upTo: number } {
    const rows: CsvRow[] = []
    // Where the next of each stands is looked for once, and not for every row.
    const [ends, returns, quotes] = ['\n', '\r', '"'].map((it) => finder(text, it)) as [Finder, Finder, Finder]
    let from = 0
    while (from < text.length) {
      const end = ends(from)
      const carriage = returns(from)
      // A carriage return alone ends a line too, as old programs write them.
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
    // What follows a carriage return at the end of a piece is not known yet.
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
        // The next piece may begin with the second quote of a pair.
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
      // Nobody writes such a row: the quote on its first line is the mistake, and what follows it is read as lines again.
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

/** One row as a line of CSV. */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((it) => written(it, separator)).join(separator)}\n`
