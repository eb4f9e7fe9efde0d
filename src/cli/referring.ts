import type { Reference } from '../contract/references.ts'

type Place = Pick<Reference, 'path' | 'when'>

/** The ids that stand where a reference says. */
export function valuesAt(it: unknown, place: Place): unknown[] {
  const found: unknown[] = []
  mapAt(it, place, (value) => {
    found.push(value)
    return value
  })
  return found
}

/** A copy of a thing with what stands where a reference says replaced. What is not there, and null, stays so. */
export const mapAt = <T>(it: T, { path, when }: Place, change: (value: unknown, path: string) => unknown): T =>
  walk(it, path.split('.'), '', (value, at, beside) => (when && (beside as Record<string, unknown>)[when[0]] !== when[1] ? value : change(value, at))) as T

function walk(it: unknown, [step, ...rest]: readonly string[], at: string, change: (value: unknown, path: string, beside: object) => unknown): unknown {
  if (typeof it !== 'object' || it === null || step === undefined) return it
  const name = step.replace('[]', '')
  const held = (it as Record<string, unknown>)[name]
  const path = at === '' ? name : `${at}.${name}`
  if (held === undefined || held === null) return it
  const next = (value: unknown, where: string): unknown =>
    rest.length > 0 ? walk(value, rest, where, change) : value === null ? value : change(value, where, it)
  const now = step.endsWith('[]') ? (Array.isArray(held) ? held.map((one, n) => next(one, `${path}.${n}`)) : held) : next(held, path)
  return Array.isArray(it) ? it.map((one, n) => (String(n) === name ? now : one)) : { ...it, [name]: now }
}
