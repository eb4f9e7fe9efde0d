import { isObject } from '../values/json-object.ts'

/** Path of the tools of an assistant. They alone can be used during a conversation, so some callers ask for this reference. */
export const toolsPath = 'tool_ids[]'

type Fields = Readonly<Record<string, unknown>>

/**
 * Path of a field; `[]` means every entry of a list. `when`: the reference exists only if another field of the object with
 * the last field has this value.
 */
export interface ReferencePath {
  readonly path: string
  readonly when?: readonly [field: string, value: string]
}

interface FoundValue {
  readonly path: string
  readonly value: unknown
  /** The object that contains the value. */
  readonly parent: Fields
}

/** Returns the path of the sender to which the template at a path belongs. Both fields are in the same object. */
export const senderPathOf = (templatePath: string): string => templatePath.replace(/template(?=[^.]*$)/, 'sender')

/**
 * Returns all values at a path of the reference table, with `[]` expanded: `tool_ids[1]`. `refs`, refusals and the search of
 * references print these paths, so scripts read them.
 */
export function valuesAtPath(item: Fields, path: string): FoundValue[] {
  let found: FoundValue[] = [{ path: '', value: item, parent: item }]
  for (const part of path.split('.')) {
    const name = part.replace('[]', '')
    found = found.flatMap(({ path: before, value }) => {
      if (!isObject(value) || !Object.hasOwn(value, name)) return []
      const at = before === '' ? name : `${before}.${name}`
      const inner = value[name]
      if (name === part) return [{ path: at, value: inner, parent: value }]
      return Array.isArray(inner) ? inner.map((it, n) => ({ path: `${at}[${n}]`, value: it, parent: value })) : []
    })
  }
  return found
}

/** Returns the values of a reference in a resource. */
export const valuesAtReference = (fields: Fields, { path, when }: ReferencePath): unknown[] =>
  valuesAtPath(fields, path)
    .filter(({ parent }) => !when || parent[when[0]] === when[1])
    .map(({ value }) => value)

/**
 * Returns a copy of a resource with the values at a reference path replaced. Missing and null values are unchanged. `change`
 * gets paths in the form of validation errors, `tool_ids.1`.
 */
export const mapReference = <T>(
  value: T,
  { path, when }: ReferencePath,
  change: (value: unknown, path: string) => unknown,
): T =>
  mapPath(value, path.split('.'), '', (value, at, parent) =>
    when && (parent as Record<string, unknown>)[when[0]] !== when[1] ? value : change(value, at),
  ) as T

function mapPath(
  current: unknown,
  [step, ...rest]: readonly string[],
  at: string,
  change: (value: unknown, path: string, parent: object) => unknown,
): unknown {
  if (typeof current !== 'object' || current === null || step === undefined) return current
  const name = step.replace('[]', '')
  const value = (current as Record<string, unknown>)[name]
  const path = at === '' ? name : `${at}.${name}`
  if (value === undefined || value === null) return current
  const next = (value: unknown, where: string): unknown =>
    rest.length > 0 ? mapPath(value, rest, where, change) : value === null ? value : change(value, where, current)
  const now = step.endsWith('[]')
    ? Array.isArray(value)
      ? value.map((one, n) => next(one, `${path}.${n}`))
      : value
    : next(value, path)
  // A step of the path may be the number of an entry: `1` of `tool_ids.1`.
  return Array.isArray(current)
    ? current.map((one, n) => (String(n) === name ? now : one))
    : { ...current, [name]: now }
}
