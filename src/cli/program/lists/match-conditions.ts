import { exactInteger, stringifyJson } from '../../../node/json.ts'
import { comparable } from '../commandline/closest-match.ts'
import { parseTime } from '../input/time-flag.ts'
import type { Condition, Operator } from './parse-conditions.ts'
import { fieldValue } from './record-fields.ts'

/** Returns the milliseconds since 1970 of a time of a record; those without a zone are in UTC. */
export function recordTime(value: unknown): number {
  const text = String(value).replace(' ', 'T')
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
}

const compares: Readonly<Record<Exclude<Operator, '~' | '=' | '!='>, (order: number) => boolean>> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
}

const isNumeric = (it: unknown): it is number | bigint => typeof it === 'number' || typeof it === 'bigint'
/** Returns the number in a text; a large integer exactly. */
const toNumber = (it: unknown): number | bigint =>
  /^-?\d{16,}$/.test(String(it)) ? exactInteger(String(it)) : Number(it)

const orderOf = (a: number | bigint | string, b: number | bigint | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the order of a value and the value of a condition: 0 if they are equal. NaN if they cannot be compared. */
function compareWith(value: unknown, { field, value: text }: Condition, now: number): number {
  if (field.kind === 'time') {
    const span = parseTime(text, now)
    const at = recordTime(value)
    if (!span || Number.isNaN(at)) return Number.NaN
    return at < span.from ? -1 : at >= span.to ? 1 : 0
  }
  if (field.kind === 'number' || (isNumeric(value) && text !== '' && Number.isFinite(Number(text))))
    return isNumeric(value) ? orderOf(value, toNumber(text)) : Number.NaN
  return field.isWord && comparable(String(value)) === comparable(text) ? 0 : orderOf(String(value), text)
}

/** Compares text as numbers if both are numbers: `"9.50" < "10"`. */
function isOrdered(value: unknown, condition: Condition, now: number): boolean {
  const { operator, field, value: text } = condition
  const accepts = compares[operator as keyof typeof compares]
  const isText = field.kind === 'text' && [value, text].every((it) => String(it) !== '' && Number.isFinite(Number(it)))
  return accepts(isText ? orderOf(toNumber(value), toNumber(text)) : compareWith(value, condition, now))
}

const contains = (value: unknown, text: string): boolean =>
  (typeof value === 'object' ? stringifyJson(value) : String(value)).toLowerCase().includes(text.toLowerCase())

/** Returns the single values at a path; of a list, its items. */
const valuesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.flatMap(valuesOf) : [value])

/**
 * Returns whether a record meets a condition. Of a list, one item is enough, and for != none may be equal. A missing
 * value is only equal to null. `now` is the reference of relative times, in milliseconds since 1970.
 */
export function matchesCondition(record: object, condition: Condition, now: number): boolean {
  const { field, operator, value: text, isNull } = condition
  const values = valuesOf(fieldValue(record, field) ?? null).filter((it) => it !== null && it !== undefined)
  if (isNull) return (values.length === 0) === (operator === '=')
  const isEqual = (it: unknown): boolean => compareWith(it, condition, now) === 0
  if (operator === '!=') return !values.some(isEqual)
  if (operator === '=') return values.some(isEqual)
  if (operator === '~') return values.some((it) => contains(it, text))
  return values.some((it) => isOrdered(it, condition, now))
}
