import { closest } from '../output/closest.ts'
import { usage } from '../usage.ts'

/** Where the cells of a column go. */
export type Place = { readonly to: 'field' | 'variable'; readonly name: string } | { readonly to: 'nowhere' }

/** What rows are made of. */
export interface Fields {
  /** Fields of the body a column may feed, with other names people give such a column. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** Fields that every row must have. */
  readonly required: readonly string[]
  /** Names of variables, or any: then a column that is nothing else is a variable. */
  readonly variables: readonly string[] | 'any'
  /** Other names of variables: the numbers of placeholders. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Variables that have a value for every row already. */
  readonly given?: ReadonlySet<string>
  /** Names of columns that are left alone. */
  readonly ignored: readonly string[]
}

/** Column by column where its cells go; asked again for the columns of each row, which mostly are the same. */
export interface Mapping {
  placesOf(columns: readonly string[]): readonly Place[]
  /** Fields and variables that no column feeds. */
  missing(columns: readonly string[]): readonly string[]
}

/** The column that tells what was wrong with a row, in a file of rows to be put right. */
export const errorColumn = 'parley_error'
/** The column that tells which row of the original file it is: once it is done, the original is too. */
export const rowColumn = 'parley_row'
/** The field with a line that could not be read at all. */
export const textColumn = 'parley_text'
/** Columns of the CLI's own, which feed nothing. */
export const isOwnColumn = (name: string): boolean => name === errorColumn || name === rowColumn || name === textColumn

const nowhere: Place = { to: 'nowhere' }

/** A name without what people write differently: capitals, accents, blanks, dashes and underscores. */
export const loose = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** The name of a variable that a column is: its own, several words joined as in `first_name`. */
export function variableName(column: string): string {
  const name = column.replace(/^variables?\./i, '').trim()
  return /[\s-]/.test(name) ? name.toLowerCase().replaceAll(/[\s-]+/g, '_') : name
}

/** `--map field=column`, taken apart. @throws ClientFailure `usage` */
export function mapsGiven(pairs: readonly string[], fields: Fields): ReadonlyMap<string, Place> {
  const maps = new Map<string, Place>()
  for (const text of pairs) {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1) throw usage(`--map takes field=column, not "${text}".`, `For example: --map ${fields.required[0]}=Phone.`)
    const place = placeNamed(text.slice(0, at).trim(), fields)
    const column = text.slice(at + 1).trim()
    const before = [...maps].find(([, it]) => isSame(it, place))
    if (before) throw usage(`--map gives ${text.slice(0, at)} two columns: ${before[0]} and ${column}.`)
    maps.set(column, place)
  }
  return maps
}

function placeNamed(name: string, { known, variables, aliases }: Fields): Place {
  if (loose(name) === 'nothing') return nowhere
  const field = Object.keys(known).find((it) => it !== 'variables' && loose(it) === loose(name))
  if (field !== undefined) return { to: 'field', name: field }
  const bare = name.replace(/^variables?\./i, '')
  if (variables === 'any') return { to: 'variable', name: bare }
  const variable = variables.find((it) => it === bare) ?? aliases?.[bare] ?? variables.find((it) => loose(it) === loose(bare))
  if (variable !== undefined) return { to: 'variable', name: variable }
  const names = [...Object.keys(known), ...variables]
  const guess = closest(name, names)
  throw usage(`--map knows no field "${name}"${guess === undefined ? '' : `. Did you mean ${guess}?`}`, `Fields: ${names.join(', ')}.`)
}

const isSame = (a: Place, b: Place): boolean => a.to !== 'nowhere' && a.to === b.to && a.name === (b as { name: string }).name

/** How columns feed fields: what `--map` says, then names as they are, then names as people write them. */
export function createMapping(fields: Fields, maps: ReadonlyMap<string, Place>): Mapping {
  const known = new WeakMap<readonly string[], readonly Place[]>()
  const byNames = new Map<string, readonly Place[]>()

  function placesOf(columns: readonly string[]): readonly Place[] {
    const found = known.get(columns)
    if (found) return found
    const key = columns.join('\0')
    let places = byNames.get(key)
    if (!places) {
      places = settle(columns)
      // Objects of ever other shapes must not fill the memory.
      if (byNames.size < 1000) byNames.set(key, places)
    }
    known.set(columns, places)
    return places
  }

  function settle(columns: readonly string[]): readonly Place[] {
    const places: (Place | undefined)[] = columns.map((it) => (it === '' || isOwnColumn(it) ? nowhere : maps.get(it)))
    const taken = new Set([...maps.values()].map(nameOf))
    const ignored = new Set(fields.ignored.map(loose))
    const claim = (of: (column: string) => Place | undefined): void => {
      for (const [n, column] of columns.entries()) {
        const place = places[n] ? undefined : of(column)
        if (place && !taken.has(nameOf(place))) {
          places[n] = place
          taken.add(nameOf(place))
        }
      }
    }
    claim((it) => fieldNamed((name) => name === it))
    claim((it) => fieldNamed((name) => loose(name) === loose(it)))
    for (const [name, others] of Object.entries(fields.known)) {
      if (taken.has(`field ${name}`)) continue
      const candidates = columns.filter((it, n) => !places[n] && others.includes(loose(it)))
      if (candidates.length > 1) throw ambiguous(name, candidates)
      claim((it) => (it === candidates[0] ? { to: 'field', name } : undefined))
    }
    claim((it) => variableNamed(it, (a, b) => a === b))
    claim((it) => variableNamed(it, (a, b) => loose(a) === loose(b)))
    if (fields.variables === 'any') claim((it) => (ignored.has(loose(it)) ? undefined : { to: 'variable', name: variableName(it) }))
    return places.map((it) => it ?? nowhere)
  }

  const fieldNamed = (is: (name: string) => boolean): Place | undefined => {
    const name = Object.keys(fields.known).find(is)
    return name === undefined ? undefined : { to: 'field', name }
  }

  function variableNamed(column: string, same: (a: string, b: string) => boolean): Place | undefined {
    if (fields.variables === 'any') return undefined
    const bare = column.replace(/^variables?\./i, '')
    const name = fields.variables.find((it) => same(it, bare)) ?? fields.aliases?.[bare]
    return name === undefined ? undefined : { to: 'variable', name }
  }

  return {
    placesOf,
    missing(columns) {
      const fed = new Set(placesOf(columns).map(nameOf))
      if (fed.has('field variables')) return fields.required.filter((it) => !fed.has(`field ${it}`))
      const variables = fields.variables === 'any' ? [] : fields.variables.filter((it) => !fed.has(`variable ${it}`) && !fields.given?.has(it))
      return [...fields.required.filter((it) => !fed.has(`field ${it}`)), ...variables]
    },
  }
}

const nameOf = (place: Place): string => (place.to === 'nowhere' ? '' : `${place.to} ${place.name}`)

const ambiguous = (name: string, columns: readonly string[]): Error =>
  usage(`${columns.map((it) => `"${it}"`).join(' and ')} may each be ${name}.`, `Say which: --map ${name}="${columns[0]}".`)

/** What a row gives: fields of the body, and variables by name. Empty cells give nothing. */
export function partsOf(places: readonly Place[], values: readonly unknown[]): { fields: Record<string, unknown>; variables: Record<string, unknown> } {
  const fields: Record<string, unknown> = {}
  const variables: Record<string, unknown> = {}
  for (let n = 0; n < places.length; n++) {
    const place = places[n] as Place
    let value = values[n]
    if (place.to === 'nowhere' || value === undefined || value === null) continue
    if (typeof value === 'string') {
      value = value.trim()
      if (value === '') continue
    }
    if (place.to === 'variable') variables[place.name] = value
    else fields[place.name] = value
  }
  return { fields, variables }
}
