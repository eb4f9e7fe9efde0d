import { usualWidth } from '../text.ts'
import { cards } from './cards.ts'
import { paint } from './colour.ts'
import { columnsFor, valueIn } from './columns.ts'
import { draw } from './draw.ts'
import type { Column, OutputSettings, Rendered, Shape } from './form.ts'
import { fit } from './layout.ts'
import { toneOf, type Wording, worded } from './value.ts'
import { cut, width } from './width.ts'

const isRight = <T>(column: Column<T>): boolean => (column.align ? column.align === 'right' : ['money', 'number', 'duration'].includes(column.kind ?? ''))

/** A list for people. On a terminal an aligned table that fits, or cards; elsewhere plain lines with tabs and nothing left out. */
export async function table<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T>): Promise<Rendered> {
  if (items.length === 0) return { text: '', hidden: [] }
  const columns = columnsFor(items, settings, shape)
  const how: Wording = { ...settings, relative: settings.terminal, lines: false }
  const texts = items.map((item) => columns.map((column) => worded(valueIn(item, column), column.kind, how)))
  const titles = columns.map((it) => it.title)
  if (!settings.terminal) {
    const lines = settings.header ? [titles, ...texts] : texts
    return { text: lines.map((it) => `${it.join('\t')}\n`).join(''), hidden: [] }
  }
  const rooms = columns.map((column, index) => ({
    natural: texts.reduce((most, row) => Math.max(most, width(row[index] ?? '')), 0),
    title: settings.header ? width(column.title) : 0,
    priority: column.priority,
    flexible: column.flexible ?? false,
  }))
  const widths = fit(rooms, settings.columns || usualWidth)
  if (!widths) return { text: await cards(items, columns, settings), hidden: [] }
  const kept = columns.flatMap((column, index) => (widths.has(index) ? [{ column, index, cells: widths.get(index) ?? 0 }] : []))
  const styles = await paint(settings.colour)
  const rows = texts.map((row) =>
    kept.map(({ column, index, cells }) => {
      const text = row[index] ?? ''
      const shown = cut(text, cells)
      const tone = column.kind === 'status' && settings.colour ? toneOf(text) : undefined
      return tone ? styles[tone](shown) : shown
    }),
  )
  const text = await draw({
    head: settings.header ? kept.map(({ column }) => styles.bold(column.title)) : undefined,
    rows,
    widths: kept.map((it) => it.cells),
    right: kept.map((it) => isRight(it.column)),
  })
  return { text, hidden: titles.filter((_, index) => !widths.has(index)) }
}
