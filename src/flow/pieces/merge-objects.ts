import { stringifyJson } from '../../node/json.ts'
/** How values of one field are merged. */
export const mergeStrategies = ['first', 'last', 'most_frequent', 'min', 'max', 'concat'] as const
export type MergeStrategy = (typeof mergeStrategies)[number]

/** Text that is the same for equal values, whatever the order of their fields. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return stringifyJson(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, it]) => `${stringifyJson(name)}:${canonicalText(it)}`).join(',')}}`
}

const isNumeric = (it: unknown): it is number | bigint => typeof it === 'number' || typeof it === 'bigint'

/** Compares numbers by size, and other values by their text. */
function isLess(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) return a < b
  const [left, right] = [a, b].map((it) => (typeof it === 'string' ? it : canonicalText(it))) as [string, string]
  return left < right
}

/** Returns the value that occurs most often, and of several the one that came first. */
function frequentValue(values: readonly unknown[]): unknown {
  const counts = new Map<string, { count: number; readonly value: unknown }>()
  for (const value of values) {
    const key = canonicalText(value)
    const known = counts.get(key)
    if (known) known.count += 1
    else counts.set(key, { count: 1, value })
  }
  return [...counts.values()].reduce((best, it) => (it.count > best.count ? it : best)).value
}

const merge: Readonly<Record<MergeStrategy, (values: readonly unknown[]) => unknown>> = {
  first: (values) => values[0],
  last: (values) => values.at(-1),
  most_frequent: frequentValue,
  min: (values) => values.reduce((smallest, it) => (isLess(it, smallest) ? it : smallest)),
  max: (values) => values.reduce((largest, it) => (isLess(largest, it) ? it : largest)),
  concat: (values) => values.flat(),
}

/** Merges objects field by field. */
export function mergeObjects(
  objects: readonly Readonly<Record<string, unknown>>[],
  strategyOf: (field: string) => MergeStrategy,
): Record<string, unknown> {
  const names = [...new Set(objects.flatMap((it) => Object.keys(it)))]
  return Object.fromEntries(
    names.map((name) => {
      const values = objects.filter((it) => Object.hasOwn(it, name)).map((it) => it[name])
      return [name, merge[strategyOf(name)](values)]
    }),
  )
}
