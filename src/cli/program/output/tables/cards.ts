import { loadPaint } from '../../terminal/color.ts'
import { textWidth } from '../../terminal/text-width.ts'
import { defaultWidth, wrap } from '../../terminal/wrap-text.ts'
import { columnField, fieldPaths, valueAtPath } from '../fields.ts'
import type { Column, OutputSettings, Shape } from '../format.ts'
import { type FormatOptions, formatValue, styleOf } from '../format-value.ts'
import { columnFor, columnValue, withEnumKind } from './columns.ts'

/** A title and its value, which may have several lines. */
interface CardEntry {
  readonly title: string
  readonly text: string
  readonly isStatus: boolean
}

/**
 * Minimum width of a text beside its title. With less room, or if a word does not fit, the text goes below the title.
 */
const minTextCells = 20

/** Renders aligned `Title  value` lines. Wrapped and further lines of a value are indented below its first line. */
export async function entryLines(
  entries: readonly CardEntry[],
  { color, columns }: Pick<OutputSettings, 'color' | 'columns'>,
): Promise<string> {
  const styles = await loadPaint(color)
  const all = columns || defaultWidth
  const titleCells = entries.reduce((max, it) => Math.max(max, textWidth(it.title)), 0) + 2
  return entries
    .map(({ title, text, isStatus }) => {
      const style = isStatus && color ? styleOf(text) : undefined
      const word = Math.max(...text.split(/\s/).map(textWidth))
      const isCramped =
        all - titleCells < minTextCells && text.split('\n').some((it) => titleCells + textWidth(it) > all)
      const isBelow = isCramped || (titleCells + word > all && word + 2 <= all)
      const indent = ' '.repeat(isBelow ? 2 : titleCells)
      const lead = isBelow ? `\n${indent}` : ' '.repeat(titleCells - textWidth(title))
      const lines = wrap(text, all, indent, textWidth)
      return `${styles.bold(title)}${lead}${style ? styles[style](lines) : lines}`.trimEnd().concat('\n')
    })
    .join('')
}

/** Renders a list for a terminal too narrow for a table: one block per item with all columns, nothing truncated. */
export async function renderCards<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  settings: OutputSettings,
): Promise<string> {
  const how: FormatOptions = { ...settings, relative: true, lines: false }
  const blocks = items.map((item) =>
    entryLines(
      columns.map((column) => ({
        title: column.title,
        text: formatValue(columnValue(item, column), column.kind, how),
        isStatus: column.kind === 'status',
      })),
      settings,
    ),
  )
  return (await Promise.all(blocks)).join('\n')
}

/** Returns whether a path is the id of an inner object that the record itself has too: `campaign.id` and `campaign_id`. */
function repeatsId(item: object, path: string): boolean {
  const owner = /^(\w+)\.id$/.exec(path)?.[1]
  return owner !== undefined && valueAtPath(item, `${owner}_id`) === valueAtPath(item, path)
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * Renders a record for people: all or the requested fields as lines of field and value, separated by a tab without a
 * terminal.
 */
export async function renderRecordForPeople<T extends object>(
  item: T,
  settings: OutputSettings,
  shape: Shape<T>,
): Promise<string> {
  const described = shape.view?.columns ?? []
  const columns = (settings.fields ?? fieldPaths(item).filter((path) => !repeatsId(item, path))).map(
    (path): Column<T> =>
      withEnumKind(
        described.find((it) => it.key === path || (settings.fields && columnField(it) === path)) ??
          columnFor(path, [item], 1),
        shape.schema,
      ),
  )
  const how = { ...settings, relative: false, lines: settings.terminal }
  const entries: CardEntry[] = columns.map((column) => {
    const value = columnValue(item, column)
    return {
      title: column.title,
      text: formatValue(isEmpty(value) ? null : value, column.kind, how),
      isStatus: column.kind === 'status',
    }
  })
  if (settings.terminal) return entryLines(entries, settings)
  return entries.map((it) => `${it.title}\t${it.text}\n`).join('')
}
