import { isObject } from '../../../contract/values/json-object.ts'

/** A secret in a resource. */
export interface SecretPlace {
  /** Name of its field, header or query parameter. */
  readonly what: string
  /** Fields and entries that contain it, outermost first. */
  readonly within: readonly string[]
}

/** Returns the environment variable for a secret, such as `FRONT_DESK_API_KEY`. A file may use another name. */
export const variableNameFor = (resourceName: string, what: string): string => {
  const name = `${resourceName}_${what}`
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z_]/.test(name) ? name : `_${name}`
}

/**
 * Returns the environment variables of secrets of one resource, a different one for each. Secrets of the same name are
 * distinguished by what contains them: `FRONT_DESK_INBOUND_WEBHOOK_URL_TOKEN`.
 */
export function assignVariables(resourceName: string, places: readonly SecretPlace[]): string[] {
  const short = places.map(({ what }) => variableNameFor(resourceName, what))
  const isUnique = (names: readonly string[], name: string): boolean => names.filter((it) => it === name).length === 1
  const chosen = places.map(({ what, within }, n) =>
    isUnique(short, short[n] as string)
      ? (short[n] as string)
      : variableNameFor(resourceName, [...within, what].join(' ')),
  )
  const taken = new Set<string>()
  return chosen.map((name) => {
    let free = name
    for (let n = 2; taken.has(free) || (free !== name && chosen.includes(free)); n++) free = `${name}_${n}`
    taken.add(free)
    return free
  })
}

/** Returns a label for an entry of a list that does not depend on its position, if it has one. */
export function entryLabel(entry: unknown, n: number): string {
  if (!isObject(entry)) return String(n + 1)
  const names = ['name', 'key', ...Object.keys(entry).filter((it) => it.endsWith('slug'))]
  const label = names.map((it) => entry[it]).find((it) => typeof it === 'string' && it !== '')
  return typeof label === 'string' ? label : String(n + 1)
}
