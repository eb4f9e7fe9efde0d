// Columns of lists on terminals and in tables. `priority` decides which columns are dropped where the terminal is narrow, the highest first, and `kind` how a
// value is written for people. The columns of tsv and csv are those of the schema, in render.ts.

import type * as z from 'zod'
import { isObject } from '../../../../contract/values/json-object.ts'
import { recordField } from '../../lists/record-fields.ts'
import { columnField, titleOf, valueAtPath } from '../fields.ts'
import type { Column, OutputSettings, Shape, ValueKind } from '../format.ts'

/** Guesses the kind of a field from its name and a value. shown-values.ts of the inspector guesses, too: a new name belongs there as well. */
export function kindOf(field: string, value: unknown): ValueKind {
  if (typeof value === 'boolean') return 'bool'
  if (/(^|[._])(cost|price)$/.test(field) && typeof value !== 'object') return 'money'
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (/_at$/.test(field)) return 'time'
  return /(^|[._])status$/.test(field) ? 'status' : 'text'
}

/** Returns the value that a column shows of an item. */
export const columnValue = <T>(item: T, column: Column<T>): unknown =>
  typeof column.key === 'string' ? valueAtPath(item, column.key) : column.key(item)

/** Returns the function that `columnValue` is for one column. It parses the path once, for lists with many items. */
export function columnReader<T>(column: Column<T>): (item: T) => unknown {
  const { key } = column
  if (typeof key !== 'string') return key
  if (key.includes('.')) return (item) => valueAtPath(item, key)
  return (item) => (isObject(item) ? (Object.hasOwn(item, key) ? item[key] : undefined) : valueAtPath(item, key))
}

/** Returns a column for a field that no view describes. */
export function columnFor<T>(field: string, items: readonly T[], priority: number): Column<T> {
  const sample = items.map((it) => valueAtPath(it, field)).find((it) => it !== null && it !== undefined)
  return {
    key: field,
    title: titleOf(field),
    priority,
    kind: kindOf(field, sample),
    flexible: typeof sample !== 'number' && typeof sample !== 'bigint',
  }
}

/**
 * Returns the columns of a list: the requested fields (never dropped), else those of the view, else the plain fields of
 * the items.
 */
export function columnsFor<T extends object>(
  items: readonly T[],
  settings: OutputSettings,
  shape: Shape<T>,
): readonly Column<T>[] {
  return columnsOf(items, settings, shape).map((it) => withEnumKind(it, shape.schema))
}

/**
 * Returns a column with the kind `choice` if its field is an enum whose values are not words, such as `post_call`, and it
 * has no kind of its own.
 */
export function withEnumKind<T>(column: Column<T>, schema: z.ZodType | undefined): Column<T> {
  if ((column.kind ?? 'text') !== 'text' || !schema || typeof column.key !== 'string') return column
  const { allowed } = recordField(schema, column.key)
  return allowed?.some((it) => it.includes('_')) ? { ...column, kind: 'choice' } : column
}

function columnsOf<T extends object>(
  items: readonly T[],
  settings: OutputSettings,
  shape: Shape<T>,
): readonly Column<T>[] {
  const described = shape.view?.columns ?? []
  if (settings.fields) {
    return settings.fields.map((field) => {
      const known = described.find((it) => columnField(it) === field)
      return known ? { ...known, priority: 1 } : columnFor(field, items, 1)
    })
  }
  if (described.length > 0) return described
  const fields = new Set(
    items.flatMap((item) =>
      Object.entries(item).flatMap(([key, value]) => (typeof value === 'object' && value !== null ? [] : [key])),
    ),
  )
  return [...fields].map((field, index) => columnFor(field, items, index + 1))
}
