import { loadPaint } from '../../terminal/color.ts'
import { textWidth, truncateText } from '../../terminal/text-width.ts'
import { defaultWidth } from '../../terminal/wrap-text.ts'
import { type Column, leastIdLength, type OutputSettings, type Rendered, type Shape } from '../format.ts'
import { createFormatter, type FormatOptions, styleOf } from '../format-value.ts'
import { renderCards } from './cards.ts'
import { columnReader, columnsFor } from './columns.ts'

/** Size constraints of a column. */
interface ColumnSize {
  /** Width of the longest value in cells. */
  readonly natural: number
  /** Width of the title in cells. */
  readonly title: number
  readonly priority: number
  readonly flexible: boolean
}

/** Cells between two columns. */
const gap = 2
const minFlexibleWidth = 12
/** Below this width, items are rendered as cards instead of dropping most columns. */
const minTableWidth = 60

interface FittedColumn {
  readonly index: number
  readonly room: ColumnSize
  width: number
}

const fullWidth = (room: ColumnSize): number => Math.max(room.natural, room.title)
const minWidth = (room: ColumnSize): number =>
  room.flexible ? Math.min(fullWidth(room), Math.max(room.title, minFlexibleWidth)) : fullWidth(room)
const total = (columns: readonly FittedColumn[]): number => columns.reduce((sum, it) => sum + it.width + gap, -gap)

/**
 * Fits columns into `cells`: drops those with the highest `priority` number until the rest fits with flexible columns truncated,
 * then distributes spare width. Returns the widths of the remaining columns by index; undefined if a table does not
 * fit.
 */
export function fitColumns(rooms: readonly ColumnSize[], cells: number): ReadonlyMap<number, number> | undefined {
  let fitted: FittedColumn[] = rooms.map((room, index) => ({ index, room, width: minWidth(room) }))
  while (total(fitted) > cells) {
    const least = fitted.findLast((it) => it.room.priority === Math.max(...fitted.map((other) => other.room.priority)))
    if (!least || least.room.priority <= 1 || cells < minTableWidth) return undefined
    fitted = fitted.filter((it) => it !== least)
  }
  // One column of many says too little about an item.
  if (fitted.length < Math.min(2, rooms.length)) return undefined
  let spare = cells - total(fitted)
  for (;;) {
    const cut = fitted.filter((it) => it.width < fullWidth(it.room))
    if (spare <= 0 || cut.length === 0) break
    const share = Math.max(1, Math.floor(spare / cut.length))
    for (const column of cut) {
      const more = Math.min(share, spare, fullWidth(column.room) - column.width)
      column.width += more
      spare -= more
    }
  }
  return new Map(fitted.map((it) => [it.index, it.width]))
}

/** A grid ready to draw: texts are already truncated and colored. */
interface Grid {
  readonly head: readonly string[] | undefined
  readonly rows: readonly (readonly string[])[]
  /** Widths of the texts of `rows` in cells, if they are known. */
  readonly cellWidths?: readonly (readonly number[])[]
  readonly widths: readonly number[]
  readonly right: readonly boolean[]
}

const edges = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
] as const
const noEdges = Object.fromEntries(edges.map((edge) => [edge, '']))
/** Above this number of rows cli-table3 is too slow: it takes seconds for 10 000 rows. */
const maxTableRows = 100

const trimLines = (text: string): string => (text === '' ? '' : `${text.replaceAll(/[ ]+$/gm, '')}\n`)

/** Draws the grid with cli-table3. */
export async function drawTable(grid: Grid): Promise<string> {
  const { default: Table } = await import('cli-table3')
  const table = new Table({
    chars: noEdges,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    colAligns: grid.right.map((right) => (right ? 'right' : 'left')),
    colWidths: grid.widths.map((it) => it + gap),
    ...(grid.head && { head: [...grid.head] }),
  })
  for (const row of grid.rows) table.push([...row])
  return trimLines(table.toString())
}

/** Draws the same lines directly, for long lists. */
export function drawLines(grid: Grid): string {
  const last = grid.widths.length - 1
  const line = (cells: readonly string[], cellWidths: readonly number[] | undefined): string => {
    let text = ''
    for (const [index, cell] of cells.entries()) {
      const pad = ' '.repeat(Math.max(0, (grid.widths[index] ?? 0) - (cellWidths?.[index] ?? textWidth(cell))))
      text += grid.right[index] ? pad + cell : cell + pad
      if (index < last) text += '  '
    }
    return `${text.trimEnd()}\n`
  }
  const head = grid.head ? line(grid.head, undefined) : ''
  return head + grid.rows.map((cells, n) => line(cells, grid.cellWidths?.[n])).join('')
}

/** Draws the grid with cli-table3, or directly if it is too long. */
const draw = (grid: Grid): string | Promise<string> =>
  grid.rows.length > maxTableRows ? drawLines(grid) : drawTable(grid)

/** Ids up to this length are not shortened. */
const maxWholeLength = 12

/**
 * Returns ids shortened to the first characters that tell them apart, with an ellipsis: `1ec0760d…`. Undefined if they
 * are short already.
 */
export function shortenedIds(ids: readonly string[]): readonly string[] | undefined {
  if (!ids.some((it) => it.length > maxWholeLength)) return undefined
  const distinct = new Set(ids).size
  let length = leastIdLength
  while (new Set(ids.map((it) => it.slice(0, length))).size < distinct) length++
  return ids.map((it) => (it.length > length + 1 ? `${it.slice(0, length)}…` : it))
}

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
