import {
  optionalSecrets,
  SampleDocument,
  type SampleList,
  type SampleListName,
  sampleListNames,
  sampleLists,
} from '../../../contract/control/sample-data.ts'
import { AccountRecord } from '../../../contract/control/sample-data-records.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { mapReference, senderPathOf } from '../../../contract/references/reference-paths.ts'
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
type FoundReference = { readonly id: unknown } | { readonly problem: string }

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

/** A record with ids in place of names: the fields of its create request, and those that no request can set. */
interface CheckedRecord {
  readonly body: Fields
  readonly record: Fields
  /** Messages by the path of each invalid field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
}

/** Used instead of a secret that the file does not have, so that the other fields can be checked. */
const secretPlaceholder = '********'

/** Replaces the names in a record by ids and checks its fields against the contract. */
export function checkRecord(list: SampleListName, item: Fields, names: SampleNames): CheckedRecord {
  const { body, record, references = [] }: SampleList = sampleLists[list]
  const errors: Record<string, string[]> = {}
  let fields = item
  for (const reference of references)
    fields = mapReference(fields, reference, (value, path) => {
      const found = names.find(reference, value, item)
      if ('id' in found) return found.id
      errors[path] = [found.problem]
      return 1
    })
  const isOfBody = (name: string): boolean => body !== undefined && Object.hasOwn(body.shape, name)
  const given = Object.entries(fields)
  const own = Object.fromEntries(given.filter(([name]) => isOfBody(name)))
  for (const name of optionalSecrets[list] ?? []) own[name] ??= secretPlaceholder
  const checkedBody = body ? validate(body, own) : ({ ok: true, value: {} } as const)
  const checkedRecord = validate(record, Object.fromEntries(given.filter(([name]) => !isOfBody(name))))
  for (const checked of [checkedBody, checkedRecord])
    if (!checked.ok) for (const [path, texts] of Object.entries(checked.errors)) errors[path] ??= texts
  return {
    body: checkedBody.ok ? (checkedBody.value as Fields) : own,
    record: checkedRecord.ok ? (checkedRecord.value as Fields) : {},
    errors,
  }
}

/** A record of a file, and its place for messages. */
export interface SampleEntry {
  readonly place: string
  readonly item: Fields
}

/** A checked account of a file. */
export interface SampleAccount {
  readonly place: string
  readonly account: Fields
  readonly lists: Readonly<Record<SampleListName, readonly SampleEntry[]>>
  readonly names: SampleNames
}

/** Collects messages by path. Each begins with the place, because a terminal shows only the messages. */
export class SampleProblems {
  readonly #errors: Record<string, string[]> = {}

  add(place: string, path: string, text: string): void {
    const at = path === '' ? place : place === '' ? path : `${place}.${path}`
    ;(this.#errors[at] ??= []).push(at === '' ? text : `${at}: ${text}`)
  }

  addAll(place: string, errors: Readonly<Record<string, readonly string[]>>): void {
    for (const [path, texts] of Object.entries(errors)) for (const text of texts) this.add(place, path, text)
  }

  /** @throws Failure 422 with every message, if there are any */
  throwIfAny(): void {
    const [first] = Object.values(this.#errors)
    if (first?.[0] !== undefined) throw new Failure('invalid', { text: first[0], errors: this.#errors })
  }
}

/** Returns the name under which other records find a record. */
export const recordName = (list: SampleListName, item: Fields): string =>
  String(item.ref ?? item[sampleLists[list].nameField])

/**
 * Checks a document: its structure, every field of every record, and every reference. @throws Failure 422 with the place
 * of each problem
 */
export function checkSampleData(data: unknown): readonly SampleAccount[] {
  const problems = new SampleProblems()
  const document = validate(SampleDocument, data)
  if (!document.ok) {
    problems.addAll('', document.errors)
    problems.throwIfAny()
    return []
  }
  const accounts = document.value.accounts.map((it, n) => checkAccount(it, `accounts.${n}`, problems))
  checkIdentities(accounts, problems)
  problems.throwIfAny()
  return accounts
}

/** Fields of which no two records of a file may have the same value, whatever their accounts are. */
const identities: Readonly<Partial<Record<SampleListName, string>>> = {
  keys: 'hash',
  assistants: 'uuid',
  automations: 'id',
  conversations: 'uuid',
}

function checkIdentities(accounts: readonly SampleAccount[], problems: SampleProblems): void {
  for (const [list, field] of Object.entries(identities) as [SampleListName, string][]) {
    const seen = new Set<string>()
    for (const { place, item } of accounts.flatMap((it) => it.lists[list])) {
      const value = item[field]
      if (typeof value !== 'string') continue
      // An automation id has both cases; the others are stored in lower case.
      const key = field === 'id' ? value : value.toLowerCase()
      if (seen.has(key))
        problems.add(place, field, `Another record of the file has this ${field}. Omit the field to get a new one.`)
      seen.add(key)
    }
  }
}

function checkAccount(given: Fields, place: string, problems: SampleProblems): SampleAccount {
  const isList = (name: string): name is SampleListName => Object.hasOwn(sampleLists, name)
  const checked = validate(AccountRecord, Object.fromEntries(Object.entries(given).filter(([name]) => !isList(name))))
  if (!checked.ok) problems.addAll(place, checked.errors)
  const names = declareNames(given)
  const lists = sampleListNames.map((name) => {
    const list = given[name] ?? []
    if (!Array.isArray(list)) problems.add(place, name, 'Use a list of records.')
    const entries = (Array.isArray(list) ? list : []).map((item: unknown, n): SampleEntry => {
      const at = `${place}.${name}.${n}`
      if (isObject(item)) problems.addAll(at, checkRecord(name, item, names).errors)
      else problems.add(at, '', 'Use an object with fields.')
      return { place: at, item: isObject(item) ? item : {} }
    })
    return [name, entries] as const
  })
  return {
    place,
    account: checked.ok ? checked.value : {},
    lists: Object.fromEntries(lists) as unknown as SampleAccount['lists'],
    names,
  }
}

function declareNames(account: Fields): SampleNames {
  const names = new SampleNames()
  for (const name of sampleListNames) {
    const { to }: SampleList = sampleLists[name]
    if (to) for (const item of objectsIn(account[name])) names.declare(to, recordName(name, item))
  }
  for (const sender of objectsIn(account.senders))
    for (const template of objectsIn(sender.templates))
      names.declare('templates', templateName(recordName('senders', sender), String(template.ref ?? template.name)))
  return names
}
