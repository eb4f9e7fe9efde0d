import { isObject } from '../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { getOwn } from '../definition/node.ts'
import { toMillis } from './input-fields.ts'
import { StepFailure } from './step-failure.ts'

type ConditionTest = (first: unknown, second: unknown, caseSensitive: boolean) => boolean

/** Returns a value as text; values other than texts become JSON. Without `caseSensitive` the result is lower case. */
function textOf(value: unknown, caseSensitive: boolean): string {
  const text = typeof value === 'string' ? value : (stringifyJson(value) ?? '')
  return caseSensitive ? text : text.toLowerCase()
}
const onTexts =
  (test: (first: string, second: string) => boolean): ConditionTest =>
  (first, second, caseSensitive) =>
    test(textOf(first, caseSensitive), textOf(second, caseSensitive))

/** Returns a value as a number or large integer, or unchanged if it is not numeric. `''` becomes 0. */
function numeric(value: unknown): unknown {
  const plain = typeof value === 'object' && value !== null ? textOf(value, true) : value
  const digits = String(plain).trim()
  if (/^-?\d{16,1000}$/.test(digits)) return BigInt(digits)
  const number = Number(plain)
  return Number.isNaN(number) ? plain : number
}
const onNumbers =
  (test: (first: number, second: number) => boolean): ConditionTest =>
  (first, second) =>
    // Values that are not numbers are compared by the rules of JavaScript.
    test(numeric(first) as number, numeric(second) as number)

const toTime = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'string' ? (toMillis(value) ?? parsedDate(value)) : undefined
function parsedDate(text: string): number | undefined {
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? undefined : millis
}
const onDates =
  (test: (first: number, second: number) => boolean): ConditionTest =>
  (first, second) => {
    const [a, b] = [toTime(first), toTime(second)]
    return a !== undefined && b !== undefined && test(a, b)
  }

/** Returns the items of a list, or of the JSON text of one; undefined for other values. */
function parseItems(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = parseJson(value)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
/** Returns a list, or the list in a JSON text; other values become a list with one item. */
const toList = (value: unknown): readonly unknown[] =>
  parseItems(value) ?? (value === undefined || value === null || value === '' ? [] : [value])
const contains: ConditionTest = (list, item, caseSensitive) =>
  toList(list).some((it) => textOf(it, caseSensitive) === textOf(item, caseSensitive))
const exists: ConditionTest = (value) => value !== undefined && value !== null && value !== ''
const not =
  (test: ConditionTest): ConditionTest =>
  (...values) =>
    !test(...values)

const containsText = onTexts((first, second) => first.includes(second))
const equalsText = onTexts((first, second) => first === second)
const startsWith = onTexts((first, second) => first.startsWith(second))
const endsWith = onTexts((first, second) => first.endsWith(second))

/**
 * Operators by their name on the wire. `START_WITH` is spelled without an S there. Saved definitions have these names:
 * they are added, not renamed, and another result would change what published automations do.
 */
export const operators: ReadonlyMap<string, ConditionTest> = new Map<string, ConditionTest>([
  ['TEXT_CONTAINS', containsText],
  ['TEXT_DOES_NOT_CONTAIN', not(containsText)],
  ['TEXT_EXACTLY_MATCHES', equalsText],
  ['TEXT_DOES_NOT_EXACTLY_MATCH', not(equalsText)],
  ['TEXT_START_WITH', startsWith],
  ['TEXT_DOES_NOT_START_WITH', not(startsWith)],
  ['TEXT_ENDS_WITH', endsWith],
  ['TEXT_DOES_NOT_END_WITH', not(endsWith)],
  ['NUMBER_IS_GREATER_THAN', onNumbers((first, second) => first > second)],
  ['NUMBER_IS_LESS_THAN', onNumbers((first, second) => first < second)],
  // biome-ignore lint/suspicious/noDoubleEquals: non-numbers are compared as in the original engine of these flows.
  ['NUMBER_IS_EQUAL_TO', onNumbers((first, second) => first == second)],
  ['BOOLEAN_IS_TRUE', (first) => Boolean(first)],
  ['BOOLEAN_IS_FALSE', (first) => !first],
  ['EXISTS', exists],
  ['DOES_NOT_EXIST', not(exists)],
  ['DATE_IS_BEFORE', onDates((first, second) => first < second)],
  ['DATE_IS_EQUAL', onDates((first, second) => first === second)],
  ['DATE_IS_AFTER', onDates((first, second) => first > second)],
  ['LIST_CONTAINS', contains],
  ['LIST_DOES_NOT_CONTAIN', not(contains)],
  // As in the original engine of these flows, a value that is not a list is neither empty nor not empty.
  ['LIST_IS_EMPTY', (first) => parseItems(first)?.length === 0],
  ['LIST_IS_NOT_EMPTY', (first) => (parseItems(first)?.length ?? 0) > 0],
])

/** Operators that use only the first value. */
export const unaryOperators: ReadonlySet<string> = new Set([
  'BOOLEAN_IS_TRUE',
  'BOOLEAN_IS_FALSE',
  'EXISTS',
  'DOES_NOT_EXIST',
  'LIST_IS_EMPTY',
  'LIST_IS_NOT_EMPTY',
])

/**
 * Returns whether any group of conditions is entirely true, which an empty group is. Returns false without groups.
 * @throws StepFailure for an unknown operator
 */
export function evaluateConditions(groups: unknown): boolean {
  if (!Array.isArray(groups)) throw new StepFailure('conditions must be a list of groups.')
  return groups.some((group, at) => {
    if (!Array.isArray(group)) throw new StepFailure(`conditions[${at}] must be a list of conditions.`)
    return group.every((condition, inner) => evaluateCondition(condition, `conditions[${at}][${inner}]`))
  })
}

function evaluateCondition(condition: unknown, path: string): boolean {
  const operator = getOwn(condition, 'operator')
  const test = typeof operator === 'string' ? operators.get(operator) : undefined
  if (!isObject(condition) || !test) throw new StepFailure(`${path}.operator is not a known operator.`)
  return test(
    getOwn(condition, 'firstValue'),
    getOwn(condition, 'secondValue'),
    getOwn(condition, 'caseSensitive') === true,
  )
}
