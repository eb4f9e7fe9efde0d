import type { Reference } from '../../contract/resources/resource-references.ts'

type ReferencePath = Pick<Reference, 'path' | 'when'>

/** Returns the ids at a reference path. */
export function valuesAtReference(it: unknown, place: ReferencePath): unknown[] {
  const found: unknown[] = []
  mapReference(it, place, (value) => {
    found.push(value)
    return value
  })
  return found
}

/** Returns a copy of a resource with the values at a reference path replaced. Missing and null values are unchanged. */
export const mapReference = <T>(
  it: T,
  { path, when }: ReferencePath,
  change: (value: unknown, path: string) => unknown,
): T =>
  mapPath(it, path.split('.'), '', (value, at, parent) =>
    when && (parent as Record<string, unknown>)[when[0]] !== when[1] ? value : change(value, at),
  ) as T

function mapPath(
  it: unknown,
  [step, ...rest]: readonly string[],
  at: string,
  change: (value: unknown, path: string, parent: object) => unknown,
): unknown {
  if (typeof it !== 'object' || it === null || step === undefined) return it
  const name = step.replace('[]', '')
  const value = (it as Record<string, unknown>)[name]
  const path = at === '' ? name : `${at}.${name}`
  if (value === undefined || value === null) return it
  const next = (value: unknown, where: string): unknown =>
    rest.length > 0 ? mapPath(value, rest, where, change) : value === null ? value : change(value, where, it)
  const now = step.endsWith('[]')
    ? Array.isArray(value)
      ? value.map((one, n) => next(one, `${path}.${n}`))
      : value
    : next(value, path)
  return Array.isArray(it) ? it.map((one, n) => (String(n) === name ? now : one)) : { ...it, [name]: now }
}
