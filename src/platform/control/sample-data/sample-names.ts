import { senderPathOf } from '../../../contract/references/reference-paths.ts'
import type { Reference, ResourceKind } from '../../../contract/references/resource-references.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { catalogues } from '../../services/catalogues/catalogues.ts'

type Fields = Readonly<Record<string, unknown>>
type Named = { readonly id: number; readonly name: string }

/** Returns the entries of a catalogue that a field refers to; undefined for records of an account. */
function catalogueEntries(to: ResourceKind, path: string): readonly Named[] | undefined {
  switch (to) {
    case 'voices':
      return catalogues.voices({})
    case 'languages':
      return catalogues.languages()
    case 'synthesizers':
      return catalogues.synthesizers()
    case 'transcribers':
      return catalogues.transcribers()
    case 'models':
      return path === 'multimodal_model_id'
        ? [...catalogues.models('multimodal'), ...catalogues.models('dualplex')]
        : catalogues.models('llm')
    default:
      return undefined
  }
}

/** Returns the name under which a field finds a record. A template is found among those of its sender. */
function scopedName({ to, path }: Reference, value: unknown, item: Fields): string {
  const sender = to === 'templates' ? item[senderPathOf(path)] : undefined
  return sender === undefined ? String(value) : templateName(String(sender), String(value))
}

/** Returns the name of a template of a sender. */
export const templateName = (sender: string, template: string): string => `${sender} ${template}`

/** The outcome of looking up a reference: the id, or what is wrong. */
export type FoundReference = { readonly id: unknown } | { readonly problem: string }

/** The names of the records of an account, and their ids once they are loaded. */
export class SampleNames {
  readonly #known = new Map<string, { readonly ids: (number | string)[]; count: number }>()

  /** Announces a record that will be loaded. */
  declare(to: ResourceKind, name: string): void {
    const key = `${to} ${name}`
    const entry = this.#known.get(key) ?? { ids: [], count: 0 }
    entry.count++
    this.#known.set(key, entry)
  }

  /** Stores the id of a loaded record. */
  add(to: ResourceKind, name: string, id: number | string): void {
    this.#known.get(`${to} ${name}`)?.ids.push(id)
  }

  /** Returns the id for the value of a reference. Before the record is loaded, it is 1. */
  find(reference: Reference, value: unknown, item: Fields): FoundReference {
    const { to, path } = reference
    const entries = catalogueEntries(to, path)
    if (entries) return typeof value === 'string' ? findInCatalogue(entries, value, to) : { id: value }
    if (typeof value !== 'string')
      return { problem: `Use the name of one of the ${listWords[to] ?? to} of this account.` }
    const entry = this.#known.get(`${to} ${scopedName(reference, value, item)}`)
    if (!entry) return { problem: `"${value}" is not among the ${listWords[to] ?? to} of this account.` }
    if (entry.count > 1)
      return { problem: `Several ${listWords[to] ?? to} are named "${value}". Give one of them a ref.` }
    return { id: entry.ids[0] ?? 1 }
  }
}

function findInCatalogue(entries: readonly Named[], name: string, to: ResourceKind): FoundReference {
  const found = entries.filter((it) => it.name === name)
  if (found.length === 1) return { id: (found[0] as Named).id }
  return {
    problem:
      found.length === 0 ? `"${name}" is not among the ${to}.` : `Several ${to} are named "${name}". Use the id.`,
  }
}

/** Names of the lists whose records a kind is, where they differ. */
const listWords: Readonly<Partial<Record<ResourceKind, string>>> = {
  automate: 'automations',
  numbers: 'numbers and SIP trunks',
  knowledge: 'knowledge bases',
}

/** Returns the name of a catalogue entry if it is unique, otherwise its id; undefined for records of an account. */
export function catalogueName({ to, path }: Reference, id: unknown): unknown {
  const entries = catalogueEntries(to, path)
  const name = entries?.find((it) => it.id === id)?.name
  if (!entries) return undefined
  return name !== undefined && entries.filter((it) => it.name === name).length === 1 ? name : id
}

/** Returns the objects of a list; entries of another type are omitted. */
export const objectsIn = (list: unknown): readonly Fields[] => (Array.isArray(list) ? list.filter(isObject) : [])
