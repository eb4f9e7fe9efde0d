/** Parses CSV text into rows of cells (RFC 4180, any line endings). Returns undefined when a quote is never closed. */
export function parseCsv(text: string): string[][] | undefined {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  for (let at = 0; at < source.length; at++) {
    const it = source[at] as string
    if (quoted) {
      if (it !== '"') cell += it
      else if (source[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (it === '"' && cell === '') quoted = true
    else if (it === ',') {
      row.push(cell)
      cell = ''
    } else if (it === '\n' || it === '\r') {
      if (it === '\r' && source[at + 1] === '\n') at += 1
      rows.push([...row, cell])
      row = []
      cell = ''
    } else cell += it
  }
  if (quoted) return undefined
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}

const formatCell = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Formats rows as CSV, one line each. A row of one empty cell becomes an empty line. */
export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(formatCell).join(',')}\n`).join('')
