import { closestMatch } from '../../../program/commandline/closest-match.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

/** Target of the cells of a column. */
export type ColumnTarget = { readonly to: 'field' | 'variable'; readonly name: string } | { readonly to: 'nowhere' }

/** Fields and variables of the rows of an operation. */
export interface RowFields {
  /** Fields of the body, each with other common names of its column. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** Fields that every row must have. */
  readonly required: readonly string[]
  /** Names of the variables, or `any`: then every other column is a variable. */
  readonly variables: readonly string[] | 'any'
  /** Other names of variables: the numbers of placeholders. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Variables that already have a value for every row. */
  readonly preset?: ReadonlySet<string>
  /** Names of columns that are not sent. */
  readonly ignored: readonly string[]
}

/** Maps columns to targets. Columns are passed for each row, because objects may differ; mostly they are the same. */
export interface Mapping {
  targetsOf(columns: readonly string[]): readonly ColumnTarget[]
  /** Returns required fields and variables without a column. */
  missing(columns: readonly string[]): readonly string[]
}

/**
 * Column with the error of a row, in a file of failed rows. Users send such files again: this name and the next two never
 * change.
 */
export const errorColumn = 'parley_error'
/** Column with the key of the row in the original file. When the row is done, the original row is done too. */
export const rowColumn = 'parley_row'
/** Column for the text of a line that could not be read. */
export const textColumn = 'parley_text'
/** Returns whether the CLI added this column; such a column is never sent. */
export const isOwnColumn = (name: string): boolean => name === errorColumn || name === rowColumn || name === textColumn

const unmapped: ColumnTarget = { to: 'nowhere' }

/** Normalizes a name so that case, accents, spaces, dashes and underscores do not matter. */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/**
 * Returns the variable name of a column. Several words are joined as in `first_name`, without punctuation: `nr_intern` for
 * `Nr. intern`. Users' prompts name variables so, and earlier sends are found by a hash with the names: the rule never changes.
 */
export function variableName(column: string): string {
  const given = column.replace(/^variables?\./i, '').trim()
  const name = given.replace(/^["'([*]+/, '').replace(/[.,:;!?()[\]*"'\s]+$/, '') || given
  return /[\s-]/.test(name) ? name.toLowerCase().replaceAll(/[\s.,:;!?()[\]/-]+/g, '_') : name
}

/** Parses the `--map field=column` flags. @throws ClientFailure `usage` */
export function parseMaps(pairs: readonly string[], fields: RowFields): ReadonlyMap<string, ColumnTarget> {
  const maps = new Map<string, ColumnTarget>()
  for (const text of pairs) {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1)
      throw usageError(`Invalid --map "${text}". Use field=column.`, `For example: --map ${fields.required[0]}=Phone.`)
    const columnTarget = parseTarget(text.slice(0, at).trim(), fields)
    const column = text.slice(at + 1).trim()
    const before = [...maps].find(([, target]) => isSameTarget(target, columnTarget))
    if (before) throw usageError(`--map assigns two columns to ${text.slice(0, at)}: ${before[0]} and ${column}.`)
    maps.set(column, columnTarget)
  }
  return maps
}

function parseTarget(name: string, { known, variables, aliases }: RowFields): ColumnTarget {
  if (normalizeName(name) === 'nothing') return unmapped
  const field = Object.keys(known).find((it) => it !== 'variables' && normalizeName(it) === normalizeName(name))
  if (field !== undefined) return { to: 'field', name: field }
  const bare = name.replace(/^variables?\./i, '')
  if (variables === 'any') return { to: 'variable', name: bare }
  const variable =
    variables.find((it) => it === bare) ??
    ownValue(aliases, bare) ??
    variables.find((it) => normalizeName(it) === normalizeName(bare))
  if (variable !== undefined) return { to: 'variable', name: variable }
  const names = [...Object.keys(known), ...variables]
  const guess = closestMatch(name, names)
  throw usageError(
    `--map: unknown field "${name}"${guess === undefined ? '' : `. Did you mean ${guess}?`}`,
    `Fields: ${names.join(', ')}.`,
  )
}

/** A column may be named `constructor` or `toString`. */
const ownValue = (values: Readonly<Record<string, string>> = {}, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const isSameTarget = (a: ColumnTarget, b: ColumnTarget): boolean =>
  a.to !== 'nowhere' && a.to === b.to && a.name === (b as { name: string }).name

/** Maps columns to fields: first by `--map`, then by exact name, then by normalized and common names. */
export function createMapping(fields: RowFields, maps: ReadonlyMap<string, ColumnTarget>): Mapping {
  const known = new WeakMap<readonly string[], readonly ColumnTarget[]>()
  const byNames = new Map<string, readonly ColumnTarget[]>()

  function placesOf(columns: readonly string[]): readonly ColumnTarget[] {
    const found = known.get(columns)
    if (found) return found
    const key = columns.join('\0')
    let places = byNames.get(key)
    if (!places) {
      places = assignTargets(columns)
      // The cache is limited, because objects with ever different keys would fill the memory.
      if (byNames.size < 1000) byNames.set(key, places)
    }
    known.set(columns, places)
    return places
  }

  function assignTargets(columns: readonly string[]): readonly ColumnTarget[] {
    const places: (ColumnTarget | undefined)[] = columns.map((column) =>
      column === '' || isOwnColumn(column) ? unmapped : maps.get(column),
    )
    const taken = new Set([...maps.values()].map(targetName))
    const ignored = new Set(fields.ignored.map(normalizeName))
    const claim = (of: (column: string) => ColumnTarget | undefined): void => {
      for (const [n, column] of columns.entries()) {
        const columnTarget = places[n] ? undefined : of(column)
        if (columnTarget && !taken.has(targetName(columnTarget))) {
          places[n] = columnTarget
          taken.add(targetName(columnTarget))
        }
      }
    }
    claim((it) => fieldNamed((name) => name === it))
    claim((it) => fieldNamed((name) => normalizeName(name) === normalizeName(it)))
    for (const [name, others] of Object.entries(fields.known)) {
      if (taken.has(`field ${name}`)) continue
      const candidates = columns.filter((it, n) => !places[n] && others.includes(normalizeName(it)))
      if (candidates.length > 1) throw ambiguousError(name, candidates)
      claim((it) => (it === candidates[0] ? { to: 'field', name } : undefined))
    }
    claim((it) => variableNamed(it, (a, b) => a === b))
    claim((it) => variableNamed(it, (a, b) => normalizeName(a) === normalizeName(b)))
    if (fields.variables === 'any')
      claim((it) => (ignored.has(normalizeName(it)) ? undefined : { to: 'variable', name: variableName(it) }))
    const lost = places.findIndex((it) => it?.to === 'variable' && it.name === '__proto__')
    if (lost >= 0)
      throw usageError(
        `Column "${columns[lost]}" cannot be a variable: JSON objects have no such field.`,
        `Rename the column, or leave it out with --map nothing=${columns[lost]}.`,
      )
    return places.map((it) => it ?? unmapped)
  }

  const fieldNamed = (is: (name: string) => boolean): ColumnTarget | undefined => {
    const name = Object.keys(fields.known).find(is)
    return name === undefined ? undefined : { to: 'field', name }
  }

  function variableNamed(column: string, same: (a: string, b: string) => boolean): ColumnTarget | undefined {
    if (fields.variables === 'any') return undefined
    const bare = column.replace(/^variables?\./i, '')
    const name = fields.variables.find((it) => same(it, bare)) ?? ownValue(fields.aliases, bare)
    return name === undefined ? undefined : { to: 'variable', name }
  }

  return {
    targetsOf: placesOf,
    missing(columns) {
      const fed = new Set(placesOf(columns).map(targetName))
      if (fed.has('field variables')) return fields.required.filter((it) => !fed.has(`field ${it}`))
      const variables =
        fields.variables === 'any'
          ? []
          : fields.variables.filter((it) => !fed.has(`variable ${it}`) && !fields.preset?.has(it))
      return [...fields.required.filter((it) => !fed.has(`field ${it}`)), ...variables]
    },
  }
}

const targetName = (columnTarget: ColumnTarget): string =>
  columnTarget.to === 'nowhere' ? '' : `${columnTarget.to} ${columnTarget.name}`

const ambiguousError = (name: string, columns: readonly string[]): Error =>
  usageError(
    `Several columns match ${name}: ${columns.map((it) => `"${it}"`).join(', ')}.`,
    `Choose one: --map ${name}="${columns[0]}".`,
  )

/** Returns the fields and variables of a row, without empty cells. */
export function mapRow(
  places: readonly ColumnTarget[],
  values: readonly unknown[],
): { fields: Record<string, unknown>; variables: Record<string, unknown> } {
  const fields: Record<string, unknown> = {}
  const variables: Record<string, unknown> = {}
  for (let n = 0; n < places.length; n++) {
    const columnTarget = places[n] as ColumnTarget
    let value = values[n]
    if (columnTarget.to === 'nowhere' || value === undefined || value === null) continue
    if (typeof value === 'string') {
      value = value.trim()
      if (value === '') continue
    }
    if (columnTarget.to === 'variable') variables[columnTarget.name] = value
    else fields[columnTarget.name] = value
  }
  return { fields, variables }
}
