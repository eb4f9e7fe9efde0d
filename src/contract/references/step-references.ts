import { isObject } from '../values/json-object.ts'
import { mapReference } from './reference-paths.ts'
import { type Reference, stepReferences } from './resource-references.ts'

/** Returns whether a value is a name: neither an id nor an expression. */
export const isResourceName = (it: unknown): it is string =>
  typeof it === 'string' && !/^(?:\d*|null|~)$/.test(it) && !it.includes('{{')

/** Greater than every id of a platform. */
const firstPlaceholder = 2 ** 40

/** Returns whether a piece belongs to the platform. Pieces of other publishers may have actions of the same name. */
const isPlatformPiece = (name: unknown): boolean =>
  typeof name !== 'string' || /^@(?:platform|integration-tools)\//.test(name)

/** Finds the references in the steps of a flow at any depth. The explicit stack supports any nesting of a file. */
export function stepReferencesIn(flow: unknown, at: string): Reference[] {
  const known = stepReferences as Readonly<Record<string, Readonly<Record<string, Reference['to']>>>>
  const found: Reference[] = []
  const open: { readonly it: unknown; readonly path: string }[] = [{ it: flow, path: at }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { it, path } = next
    if (Array.isArray(it)) open.push(...it.map((one, n) => ({ it: one as unknown, path: `${path}.${n}` })))
    if (!isObject(it)) continue
    const settings = isObject(it.settings) ? it.settings : {}
    const fields = isPlatformPiece(settings.pieceName)
      ? Object.entries(known[String(settings.triggerName ?? settings.actionName)] ?? {})
      : []
    // A template belongs to a sender, so its name alone does not identify it.
    found.push(
      ...fields.flatMap(([field, to]) => (to === 'templates' ? [] : [{ path: `${path}.settings.input.${field}`, to }])),
    )
    for (const [name, below] of Object.entries(it))
      if (name !== 'settings') open.push({ it: below, path: `${path}.${name}` })
  }
  return found
}

/** Replaces names in a flow by numbers, so that it can be checked without a platform. `restoreNames` reverses it. */
export function replaceNamesWithNumbers(flow: unknown): {
  readonly flow: unknown
  readonly restoreNames: <T>(flow: T) => T
} {
  const names: unknown[] = []
  const each = <T>(it: T, change: (value: unknown) => unknown): T =>
    stepReferencesIn(it, '').reduce(
      (result, { path }) => mapReference(result, { path: path.slice(1) }, change),
      it,
    ) as T
  return {
    flow: each(flow, (it) => (isResourceName(it) ? firstPlaceholder + names.push(it) : it)),
    restoreNames: (it) =>
      each(it, (value) =>
        typeof value === 'number' && value > firstPlaceholder ? names[value - firstPlaceholder - 1] : value,
      ),
  }
}
