import {
  optionalSecrets,
  type SampleList,
  type SampleListName,
  sampleLists,
} from '../../../contract/control/sample-data.ts'
import { validate } from '../../../contract/mechanics/validation.ts'
import { mapReference } from '../../../contract/references/reference-paths.ts'
import type { SampleNames } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record with ids in place of names: the fields of its create request, and those that no request can set. */
export interface CheckedRecord {
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
