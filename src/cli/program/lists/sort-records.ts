import { stringifyJson } from '../../../node/json.ts'
import { usageError } from '../errors/usage-error.ts'
import { recordTime } from './conditions.ts'
import { fieldValue, type RecordField } from './record-fields.ts'

/** A field to sort by. */
export interface SortKey {
  readonly field: RecordField
  readonly isDescending: boolean
}

/** Parses `-created_at,name`. `fieldOf` returns the field of a path. @throws ClientFailure `usage` */
export function parseSortKeys(text: string, fieldOf: (path: string) => RecordField): SortKey[] {
  return text.split(',').map((part) => {
    const [, sign, path] = /^\s*([-+]?)(\S(?:.*\S)?)\s*$/.exec(part) ?? []
    if (path === undefined)
      throw usageError(`Invalid --sort "${text}".`, 'Use fields separated by commas, for example -created_at,name.')
    return { field: fieldOf(path), isDescending: sign === '-' }
  })
}

type Value = string | number | bigint

/** Returns the value of a record to sort by; undefined if it has none. */
function sortValue(record: object, field: RecordField): Value | undefined {
  const { kind } = field
  const value = fieldValue(record, field)
  const first = Array.isArray(value) ? value.flat(5)[0] : value
  if (first === null || first === undefined) return undefined
  if (kind === 'time') {
    const at = recordTime(first)
    return Number.isNaN(at) ? undefined : at
  }
  if (typeof first === 'number' || typeof first === 'bigint') return first
  return typeof first === 'object' ? stringifyJson(first) : String(first)
}

/** Returns a comparison of texts in a fixed language, so that scripts get the same order on every computer. */
const textOrder = (): ((a: string, b: string) => number) => new Intl.Collator('en', { numeric: false }).compare

function compareValues(a: Value, b: Value, compareTexts: (a: string, b: string) => number): number {
  if (typeof a !== 'string' && typeof b !== 'string') return a < b ? -1 : a > b ? 1 : 0
  return compareTexts(String(a), String(b)) || (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0)
}

/**
 * Returns the records in the order of the keys. Records that are equal keep their order; those without a value are last
 * in both directions.
 */
export function sortRecords<T extends object>(records: readonly T[], keys: readonly SortKey[]): T[] {
  const decorated = records.map((record) => ({ record, values: keys.map(({ field }) => sortValue(record, field)) }))
  const compareTexts = textOrder()
  decorated.sort((a, b) => {
    for (const [n, { isDescending }] of keys.entries()) {
      const [one, other] = [a.values[n], b.values[n]]
      if (one === undefined || other === undefined) {
        if (one !== other) return one === undefined ? 1 : -1
        continue
      }
      const order = compareValues(one, other, compareTexts)
      if (order !== 0) return isDescending ? -order : order
    }
    return 0
  })
  return decorated.map((it) => it.record)
}
