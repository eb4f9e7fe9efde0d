import { resources } from '../resources/registry.ts'

/** A resource as sentences name it. `stop` and `resume` print it as JSON: fields are added, not renamed. */
export interface NamedItem {
  /** Noun of its commands. */
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
}

/** Returns a number with its noun: `1 run`, `2 runs`. */
export const countOf = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** Returns kind, name and id of a resource: `campaign "Recall" (1)`. */
export function calledItem({ noun, id, name }: NamedItem): string {
  const singular = Object.values(resources).find((it) => it.noun === noun)?.singular ?? noun
  return `${singular} ${name === null ? id : `"${name}" (${id})`}`
}

/** Maximum number of resources that a question names. */
const maxNamed = 10

/** Returns the names of resources for a question or a result. */
export function namesOf(items: readonly NamedItem[]): string {
  const more = items.length - maxNamed
  return `${items.slice(0, maxNamed).map(calledItem).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
