import { loadPaint } from '../terminal/color.ts'
import { textWidth, truncateText } from '../terminal/text-width.ts'
import { defaultWidth } from '../terminal/wrap-text.ts'
import { renderCards } from './cards.ts'
import { fitColumns } from './column-layout.ts'
import { columnsFor, columnValue } from './columns.ts'
import { draw } from './draw-table.ts'
import type { Column, OutputSettings, Rendered, Shape } from './form.ts'
import { type FormatOptions, formatValue, toneOf } from './format-value.ts'

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
  const how: FormatOptions = { ...settings, relative: settings.terminal, lines: false }
  const texts = items.map((item) => columns.map((column) => formatValue(columnValue(item, column), column.kind, how)))
  const titles = columns.map((it) => it.title)
  if (!settings.terminal) {
    const lines = settings.header ? [titles, ...texts] : texts
    return { text: lines.map((it) => `${it.join('\t')}\n`).join(''), hidden: [] }
  }
  const rooms = columns.map((column, index) => ({
    natural: texts.reduce((max, row) => Math.max(max, textWidth(row[index] ?? '')), 0),
    title: settings.header ? textWidth(column.title) : 0,
    priority: column.priority,
    flexible: column.flexible ?? false,
  }))
  const widths = fitColumns(rooms, settings.columns || defaultWidth)
  if (!widths) return { text: await renderCards(items, columns, settings), hidden: [] }
  const shownColumns = columns.flatMap((column, index) =>
    widths.has(index) ? [{ column, index, cells: widths.get(index) ?? 0 }] : [],
  )
  const styles = await loadPaint(settings.color)
  const rows = texts.map((row) =>
    shownColumns.map(({ column, index, cells }) => {
      const text = row[index] ?? ''
      const shown = truncateText(text, cells)
      const tone = column.kind === 'status' && settings.color ? toneOf(text) : undefined
      return tone ? styles[tone](shown) : shown
    }),
  )
  const text = await draw({
    head: settings.header ? shownColumns.map(({ column }) => styles.bold(column.title)) : undefined,
    rows,
    widths: shownColumns.map((it) => it.cells),
    right: shownColumns.map((it) => isRight(it.column)),
  })
  return { text, hidden: titles.filter((_, index) => !widths.has(index)) }
}
