import { columnField, fieldPaths, valueAtPath } from '../fields.ts'
import type { Column, OutputSettings, Shape } from '../form.ts'
import { formatValue } from '../format-value.ts'
import { type CardEntry, entryLines } from './cards.ts'
import { columnFor, columnValue, withEnumKind } from './columns.ts'

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
