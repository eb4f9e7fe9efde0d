/** Returns whether a value is a JSON object: not a list and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Replaces the texts in a value, at any depth. Their paths are such as `steps.0.name` after the given one. */
export function mapTexts(value: unknown, path: string, change: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value)) return value.map((it, n) => mapTexts(it, `${path}.${n}`, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, mapTexts(child, `${path}.${name}`, change)]),
  )
}

/** A resource as returned by the platform. */
export type ResourceRecord = Readonly<Record<string, unknown>>
