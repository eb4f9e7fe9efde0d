import {
  SampleDocument,
  type SampleList,
  type SampleListName,
  sampleListNames,
  sampleLists,
} from '../../../contract/control/sample-data.ts'
import { AccountRecord } from '../../../contract/control/sample-data-records.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { validate } from '../../../contract/mechanics/validation.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { checkRecord } from './check-record.ts'
import { objectsIn, SampleNames, templateName } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

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
  problems.throwIfAny()
  return accounts
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
