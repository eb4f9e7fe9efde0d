import { textWidth } from '../../src/cli/program/terminal/text-width.ts'

/** Final content of a terminal. */
export interface Screen {
  /** Lines from the top, without trailing blanks and trailing empty lines. */
  readonly lines: readonly string[]
  /** Text including lines that have scrolled off. */
  readonly text: string
  readonly isCursorHidden: boolean
  /** Whether a style is still active, such as a color or bold. */
  readonly isStyled: boolean
  /** Lines that exceeded the right edge, where the terminal broke them in the middle of a word. */
  readonly broken: readonly string[]
}

const segments = new Intl.Segmenter()
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences of a terminal
const shown = /\x1b\[([?>]?)([\d;]*)([@-~])|\x1b[=>78]|\x1b\][^\x07]*\x07|[\r\n\b\x07\t]|[^\x1b\r\n\b\x07\t]+/g

/**
 * Renders output on a terminal of this many columns and rows: lines wrap, the cursor moves, cleared text disappears.
 */
export function screenOf(drawn: string, columns: number, rows = 40): Screen {
  const cells: string[][] = [[]]
  const overrun = new Set<number>()
  let [row, column] = [0, 0]
  let [isCursorHidden, isStyled] = [false, false]
  /** Returns the first line that is still on the screen. */
  const top = (): number => Math.max(0, cells.length - rows)
  const line = (at: number): string[] => {
    while (cells.length <= at) cells.push([])
    return cells[at] as string[]
  }
  const put = (text: string): void => {
    for (const { segment } of segments.segment(text)) {
      const size = textWidth(segment)
      if (column + size > columns) {
        // Output that wraps itself ends the line before the edge; other output is broken at the edge.
        if (segment !== ' ' && line(row).at(-1) !== ' ') overrun.add(row)
        ;[row, column] = [row + 1, 0]
      }
      const into = line(row)
      while (into.length < column) into.push(' ')
      into[column] = segment
      for (let more = 1; more < size; more++) into[column + more] = ''
      column += size
    }
  }
  const erase = (how: number): void => {
    if (how === 2 || how === 3) cells.splice(top(), cells.length, ...Array.from({ length: row - top() + 1 }, () => []))
    else if (how === 0) {
      line(row).splice(Math.min(column, line(row).length))
      cells.splice(row + 1)
    }
  }
  const command = (mark: string, text: string, letter: string): void => {
    const [first = 0, second = 0] = text.split(';').map(Number)
    const by = first || 1
    if (mark === '?') {
      if (first === 25) isCursorHidden = letter === 'l'
    } else if (letter === 'm') isStyled = text !== '' && !/^(0|22|23|24|27|39|49)$/.test(text)
    else if (letter === 'A') row = Math.max(top(), row - by)
    else if (letter === 'B') row = Math.min(top() + rows - 1, row + by)
    else if (letter === 'C') column = Math.min(columns - 1, column + by)
    else if (letter === 'D') column = Math.max(0, column - by)
    else if (letter === 'E') [row, column] = [row + by, 0]
    else if (letter === 'F') [row, column] = [Math.max(top(), row - by), 0]
    else if (letter === 'G') column = by - 1
    else if (letter === 'H' || letter === 'f') [row, column] = [top() + by - 1, (second || 1) - 1]
    else if (letter === 'J') erase(first)
    else if (letter === 'K') {
      if (first === 2) line(row).length = 0
      else if (first === 0) line(row).splice(Math.min(column, line(row).length))
    }
    line(row)
  }
  for (const [text, mark = '', numbers = '', letter] of drawn.matchAll(shown)) {
    if (letter !== undefined) command(mark, numbers, letter)
    else if (text === '\n') line(++row)
    else if (text === '\r') column = 0
    else if (text === '\b') column = Math.max(0, column - 1)
    else if (text === '\t') column = Math.min(columns - 1, (column & ~7) + 8)
    else if (text !== '\x07' && !text.startsWith('\x1b')) put(text)
  }
  const lines = cells.map((cell) =>
    Array.from(cell, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  )
  while (lines.length > 0 && lines.at(-1) === '') lines.pop()
  return {
    lines,
    text: lines.join('\n'),
    isCursorHidden,
    isStyled,
    broken: [...overrun].flatMap((at) => lines[at] ?? []),
  }
}
