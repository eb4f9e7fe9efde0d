import type * as z from 'zod'
import { schemaDefinition } from '../../../contract/endpoint/coerce.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import { comparable, spelledAs } from '../commandline/spelling.ts'
import type { Column, Shape } from './format.ts'

const maxDepth = 6

function walk(schema: z.ZodType, path: string, depth: number, into: Set<string>): void {
  const def = schemaDefinition(schema)
  const on = (next: z.ZodType | undefined): void => {
    if (next) walk(next, path, depth, into)
  }
  if (def.shape) {
    if (depth >= maxDepth) return
    for (const [key, value] of Object.entries(def.shape)) {
      const below = path === '' ? key : `${path}.${key}`
      into.add(below)
      walk(value, below, depth + 1, into)
    }
  } else if (def.type === 'record' || def.type === 'unknown' || def.type === 'any') {
    if (path !== '') into.add(`${path}.*`)
  } else if (def.type === 'pipe') on(def.out && schemaDefinition(def.out).type === 'transform' ? def.in : def.out)
  else if (def.type === 'union') def.options?.forEach(on)
  else if (def.type === 'lazy') {
    if (depth < maxDepth) walk(def.getter?.() ?? schema, path, depth + 1, into)
  } else on(def.element ?? def.innerType)
}

/**
 * Returns dot paths of all fields of a schema, parents before children. Lists add no level; `x.*` means arbitrary keys
 * below `x`.
 */
function schemaFields(schema: z.ZodType): string[] {
  const into = new Set<string>()
  walk(schema, '', 0, into)
  return [...into]
}

/** Thrown if `--fields` names an unknown field. */
class UnknownField extends Error {
  readonly exit: ExitName = 'usage'
  readonly field: string
  readonly hint: string

  constructor(field: string, known: readonly string[]) {
    super(`Unknown field "${field}".`)
    this.name = 'UnknownField'
    this.field = field
    const suggestion = closestMatch(field, known)
    this.hint = `${suggestion ? `Did you mean "${suggestion}"? ` : ''}List fields: --fields help.`
  }
}

/** Splits the text of `--fields`. */
export const parseFields = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((it) => it.trim())
      .filter(Boolean),
  ),
]

/** Returns true for `--fields help`: print `knownFields` instead of sending a request. */
export const isFieldHelp = (fields: readonly string[] | undefined): boolean =>
  fields?.length === 1 && fields[0] === 'help'

/** Returns whether a column is composed of several fields: its values exist only under its heading. */
export const isComposed = <T>({ key, field }: Column<T>): boolean => typeof key === 'function' && field === undefined

/**
 * Returns the dot path that names a column: that of its field, or its heading as a word if it is composed of several. Scripts have
 * it in `--fields`, `--filter` and `--sort`, and JSON has the value under it if `--fields` names it.
 */
export const columnField = <T>({ key, field, title }: Column<T>): string =>
  typeof key === 'string' ? key : (field ?? title.toLowerCase().replaceAll(' ', '_'))

/** Returns items with the values of composed columns among the named fields, under the names of these columns. */
export function withComposed<T extends object>(
  items: readonly T[],
  fields: readonly string[] | undefined,
  { view }: Shape<T>,
): readonly T[] {
  const composed = view?.columns.filter((it) => isComposed(it) && fields?.includes(columnField(it))) ?? []
  if (composed.length === 0) return items
  return items.map((item) => ({
    ...item,
    ...Object.fromEntries(composed.map((it) => [columnField(it), (it.key as (item: T) => unknown)(item)])),
  }))
}

/** Returns the dot paths that `--fields` accepts, in the order of the schema. */
export function knownFields<T>(shape: Shape<T>): string[] {
  const columns = shape.view?.columns.map(columnField) ?? []
  return [...new Set([...(shape.schema ? schemaFields(shape.schema) : []), ...columns])]
}

/** Returns whether a field is known, also below a field with arbitrary keys. */
export const isKnownField = (known: readonly string[], field: string): boolean =>
  known.some((it) => it === field || (it.endsWith('.*') && field.startsWith(it.slice(0, -1))))

const acronyms = /\b(id|url|uuid|sms|sip|ai|api|pid|crm|ip|json|csv|llm|tts)(s?)\b/g

/**
 * Returns the heading of a field that no column describes: `SMS capable` for `sms_capable`, `Call ID` for `call_id`, and
 * `Created` for `created_at`.
 */
export function titleOf(field: string): string {
  const words = field
    .replace(/(?<=[a-z])_at$/, '')
    .replaceAll(/[._]/g, ' ')
    .replaceAll(acronyms, (_, acronym: string, plural: string) => acronym.toUpperCase() + plural)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns all fields of a record as dot paths: nested objects are expanded, lists are not. */
export function fieldPaths(value: object, above = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = above + key
    const opens = isObject(inner) && Object.keys(inner).length > 0
    return opens && !key.includes('.') ? fieldPaths(inner, `${path}.`) : [path]
  })
}

/**
 * Returns the known field that a user named: by its path, or by its heading in a table or a record, all in any case. A
 * name that is neither is returned unchanged.
 */
export function fieldNamed<T>(name: string, known: readonly string[], { view }: Shape<T>): string {
  if (isKnownField(known, name)) return name
  const path = spelledAs(name, known)
  if (path !== undefined && !view?.columns.some(({ title }) => title === name)) return path
  const headings = view?.columns ?? []
  const title = spelledAs(
    name,
    headings.map((it) => it.title),
  )
  const column = headings.find((it) => it.title === title)
  if (column) return columnField(column)
  // `campaign_id` and `campaign.id` have the same heading, and the record shows the first.
  const titled = known.filter((it) => comparable(titleOf(it)) === comparable(name))
  return titled.find((it) => !it.includes('.')) ?? titled[0] ?? name
}

/**
 * Checks fields against a shape before a write is sent. @throws UnknownField for a path that the shape does not have
 */
export function requireFields<T>(fields: readonly string[], shape: Shape<T>): void {
  const known = knownFields(shape)
  if (known.length === 0) return
  for (const field of fields)
    if (!isKnownField(known, fieldNamed(field, known, shape))) throw new UnknownField(field, known)
}

/**
 * Returns the paths of the fields that a user named, for received items: fields that the items have count as known.
 * @throws UnknownField
 */
export function fieldsOfItems<T>(names: readonly string[], items: readonly T[], shape: Shape<T>): readonly string[] {
  const here = items.slice(0, 20).flatMap((it) => (isObject(it) ? fieldPaths(it) : []))
  const known = [...new Set([...knownFields(shape), ...here])]
  return [
    ...new Set(
      names.map((name) => {
        if (items.some((item) => valueAtPath(item, name) !== undefined)) return name
        const field = fieldNamed(name, known, shape)
        if (known.length > 0 && !isKnownField(known, field)) throw new UnknownField(name, known)
        return field
      }),
    ),
  ]
}

/** Returns the value at a dot path; through a list, the list of values. Undefined if it does not exist. */
export function valueAtPath(value: unknown, path: string): unknown {
  const dot = path.indexOf('.')
  const key = dot < 0 ? path : path.slice(0, dot)
  if (Array.isArray(value)) {
    const found = value.map((it) => valueAtPath(it, path))
    return found.every((it) => it === undefined) ? undefined : found
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
  return dot < 0 ? value[key] : valueAtPath(value[key], path.slice(dot + 1))
}

type Tree = Map<string, Tree>

function pickTree(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value ?? null
  if (Array.isArray(value)) return value.map((it) => pickTree(it, tree))
  if (!isObject(value)) return null
  return Object.fromEntries(
    [...tree].map(([key, below]) => [key, pickTree(Object.hasOwn(value, key) ? value[key] : undefined, below)]),
  )
}

/** Reduces items to the named fields, with their nesting, and null for absent fields. */
export function selectFields(items: readonly unknown[], fields: readonly string[]): unknown[] {
  const tree: Tree = new Map()
  for (const field of fields) {
    let at = tree
    for (const key of field.split('.')) {
      const below: Tree = at.get(key) ?? new Map()
      at.set(key, below)
      at = below
    }
  }
  return items.map((item) => pickTree(item, tree))
}
