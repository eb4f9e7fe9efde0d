import { isObject } from '../../../contract/values/json-object.ts'
import type { Column, OutputSettings, Shape } from '../form.ts'
import { formatValue } from '../format-value.ts'
import { type CardEntry, entryLines } from './cards.ts'
import { columnFor, columnValue } from './columns.ts'

/** Returns all fields of a record as dot paths: nested objects are expanded, lists are not. */
function fieldPaths(value: object, above = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = above + key
    const opens = isObject(inner) && Object.keys(inner).length > 0
    return opens && !key.includes('.') ? fieldPaths(inner, `${path}.`) : [path]
  })
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
  const columns = (settings.fields ?? fieldPaths(item)).map(
    (path): Column<T> => described.find((it) => it.key === path) ?? columnFor(path, [item], 1),
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
