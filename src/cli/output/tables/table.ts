import { loadPaint } from '../../terminal/color.ts'
import { textWidth, truncateText } from '../../terminal/text-width.ts'
import { defaultWidth } from '../../terminal/wrap-text.ts'
import type { Column, OutputSettings, Rendered, Shape } from '../form.ts'
import { createFormatter, type FormatOptions, styleOf } from '../format-value.ts'
import { renderCards } from './cards.ts'
import { fitColumns } from './column-layout.ts'
import { columnReader, columnsFor } from './columns.ts'
import { draw } from './draw-table.ts'
import { shortenedIds } from './shortened-ids.ts'

const isRight = <T>(column: Column<T>): boolean =>
  column.align ? column.align === 'right' : ['money', 'number', 'duration'].includes(column.kind ?? '')

/**
 * Renders a list for people: an aligned table or cards on a terminal, tab-separated lines with all columns elsewhere.
 */
export async function renderTable<T extends object>(
  items: readonly T[],
  settings: OutputSettings,
  shape: Shape<T>,
): Promise<Rendered> {
  if (items.length === 0) return { text: '', hidden: [] }
  const columns = columnsFor(items, settings, shape)
  const allTexts = formatCells(items, columns, { ...settings, relative: settings.terminal, lines: false })
  const titles = columns.map((it) => it.title)
  if (!settings.terminal) {
    const lines = settings.header ? [titles, ...allTexts] : allTexts
    return { text: lines.map((it) => `${it.join('\t')}\n`).join(''), hidden: [] }
  }
  const space = settings.columns || defaultWidth
  const fit = (cells: readonly (readonly string[])[]): Fitted => {
    const cellWidths = cells.map((row) => row.map(textWidth))
    const rooms = columns.map((column, index) => ({
      natural: cellWidths.reduce((max, row) => Math.max(max, row[index] ?? 0), 0),
      title: settings.header ? textWidth(column.title) : 0,
      priority: column.priority,
      flexible: column.flexible ?? false,
    }))
    return { texts: cells, cellWidths, widths: fitColumns(rooms, space) }
  }
  const whole = fit(allTexts)
  const isTight = whole.widths === undefined || whole.widths.size < columns.length
  const short = isTight && !settings.fullIds && shape.view?.hasLongIds ? withShortIds(allTexts, columns) : undefined
  const { texts, cellWidths, widths } = short ? fit(short) : whole
  if (!widths) return { text: await renderCards(items, columns, settings), hidden: [] }
  const shownColumns = columns.flatMap((column, index) =>
    widths.has(index) ? [{ column, index, cells: widths.get(index) ?? 0 }] : [],
  )
  const styles = await loadPaint(settings.color)
  const paint = (text: string, shown: string, column: Column<T>): string => {
    const style = column.kind === 'status' && settings.color ? styleOf(text) : undefined
    return style ? styles[style](shown) : shown
  }
  const rows = texts.map((row, n) =>
    shownColumns.map(({ column, index, cells }) => {
      const text = row[index] ?? ''
      const width = cellWidths[n]?.[index] ?? 0
      if (width <= cells) return { text: paint(text, text, column), width }
      const cut = truncateText(text, cells)
      return { text: paint(text, cut, column), width: textWidth(cut) }
    }),
  )
  const text = await draw({
    head: settings.header ? shownColumns.map(({ column }) => styles.bold(column.title)) : undefined,
    rows: rows.map((row) => row.map((it) => it.text)),
    cellWidths: rows.map((row) => row.map((it) => it.width)),
    widths: shownColumns.map((it) => it.cells),
    right: shownColumns.map((it) => isRight(it.column)),
  })
  return {
    text,
    hidden: titles.filter((_, index) => !widths.has(index)),
    ...(short && { hasShortIds: true }),
  }
}

/** Cells of a table and the widths of the columns that fit. */
interface Fitted {
  readonly texts: readonly (readonly string[])[]
  readonly cellWidths: readonly (readonly number[])[]
  readonly widths: ReadonlyMap<number, number> | undefined
}

/** Returns the cells with shortened ids; undefined if the ids are short already. */
function withShortIds<T>(
  texts: readonly (readonly string[])[],
  columns: readonly Column<T>[],
): readonly string[][] | undefined {
  const at = columns.findIndex((it) => it.key === 'id')
  const ids = shortenedIds(texts.map((row) => row[at] ?? ''))
  return ids && texts.map((row, n) => row.map((text, index) => (index === at ? (ids[n] ?? text) : text)))
}

/** Formats all values. Columns of the same kind share a formatter, so that equal times are formatted once. */
function formatCells<T>(items: readonly T[], columns: readonly Column<T>[], how: FormatOptions): readonly string[][] {
  const formatters = new Map<string | undefined, (value: unknown) => string>()
  const cells = columns.map((column) => {
    const format = formatters.get(column.kind) ?? createFormatter(column.kind, how)
    formatters.set(column.kind, format)
    return { read: columnReader(column), format }
  })
  return items.map((item) => cells.map(({ read, format }) => format(read(item))))
}
