const formatCell = (cell: string, separator: string): string =>
  cell.includes(separator) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/**
 * Formats one row as a line of CSV. A row of one empty cell becomes an empty line. `parseCsv` reads the same cells again:
 * spreadsheets of automations and files of failed rows rely on it.
 */
export const formatCsvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((it) => formatCell(it, separator)).join(separator)}\n`
