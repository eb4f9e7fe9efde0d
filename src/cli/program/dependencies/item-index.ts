import type { LinkedItem } from '../../../contract/references/resource-links.ts'

type Groups = ReadonlyMap<string, readonly LinkedItem[]>

const known = new WeakMap<readonly LinkedItem[], Map<string, Groups>>()
const none: readonly LinkedItem[] = []

/**
 * Returns the items of a list whose field has a value, compared as text, in the order of the list. The list is read once for each
 * field, so that many rows can be searched for many others. It must not change afterwards.
 */
export function itemsWith(items: readonly LinkedItem[], field: string, value: unknown): readonly LinkedItem[] {
  const fields = known.get(items) ?? new Map<string, Groups>()
  known.set(items, fields)
  const groups = fields.get(field) ?? groupBy(items, (it) => String(it[field]))
  fields.set(field, groups)
  return groups.get(String(value)) ?? none
}

/** Returns the first item of a list whose field has a value; undefined if there is none. */
export const itemWith = (items: readonly LinkedItem[], field: string, value: unknown): LinkedItem | undefined =>
  itemsWith(items, field, value)[0]

/** Returns values by their keys, in their order. */
export function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const text = key(value)
    const group = groups.get(text)
    if (group) group.push(value)
    else groups.set(text, [value])
  }
  return groups
}
