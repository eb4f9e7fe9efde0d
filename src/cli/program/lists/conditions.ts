import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { exactInteger, stringifyJson } from '../../../node/json.ts'
import { comparable, spelledAs } from '../commandline/spelling.ts'
import { usageError } from '../errors/usage-error.ts'
import { invalidTime, parseTime } from '../input/time-flag.ts'
import { valueAtPath } from '../output/fields.ts'
import { fieldValue, type RecordField } from './record-fields.ts'

const operators = ['!=', '>=', '<=', '=', '>', '<', '~'] as const
type Operator = (typeof operators)[number]

/** A condition on a field of a record. */
export interface Condition {
  readonly field: RecordField
  readonly operator: Operator
  /** The value as typed, without quotes. */
  readonly value: string
  /** Whether the value is the word null: the field has no value. */
  readonly isNull: boolean
}

/**
 * One condition at the start of a text, up to the next comma or the end. Users have such texts in scripts: it never accepts less.
 * - Field: a path (`status`, `binding.assistant_id`, `tools.*.name`) or the heading of a column (`Next attempt (UTC)`).
 * - Operator: one of `operators`, with spaces around it if wanted.
 * - Value in double quotes, where `\` escapes the next character (`"a, \"b\""`), or else any text without a comma (`60`).
 */
const conditionPattern = /^\s*([\w.*-][\w.*() -]*?)\s*(!=|>=|<=|=|>|<|~)\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)/

/**
 * Parses conditions separated by commas: `status=failed,duration>60`. A value with a comma is in double quotes.
 * `fieldOf` returns the field of a path. @throws ClientFailure `usage`
 */
export function parseConditions(text: string, fieldOf: (path: string) => RecordField): Condition[] {
  const conditions: Condition[] = []
  for (let rest = text; ; ) {
    const [whole, path, operator, quoted, plain = ''] = conditionPattern.exec(rest) ?? []
    if (whole === undefined || path === undefined)
      throw usageError(
        `Invalid --filter "${rest}".`,
        `Use <field><operator><value>, for example status=failed. Operators: ${operators.join(' ')}. Put a value with a comma in double quotes.`,
      )
    conditions.push(
      requireCondition({
        field: fieldOf(path),
        operator: operator as Operator,
        value: quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1'),
        isNull: quoted === undefined && plain === 'null',
      }),
    )
    rest = rest.slice(whole.length)
    if (!whole.endsWith(',')) return conditions
  }
}

/** Returns whether a condition compares the id of another resource with a name: `folder_id=Reception`. */
export const holdsName = ({ field: { path, kind }, operator, value, isNull }: Condition): boolean =>
  kind === 'number' &&
  !isNull &&
  /_ids?$/.test(path) &&
  /^!?=$/.test(operator) &&
  value !== '' &&
  !Number.isFinite(Number(value))

/** Returns the value of a condition that was typed as tables show it: `yes`, `1.30 USD` and `1:05`. */
function readShown(kind: RecordField['kind'], value: string): string {
  if (kind === 'boolean') return /^yes$/i.test(value) ? 'true' : /^no$/i.test(value) ? 'false' : value
  if (kind !== 'number') return value
  const [, minutes, seconds] = /^(\d+):([0-5]\d)$/.exec(value) ?? []
  return minutes === undefined ? value.replace(/ USD$/i, '') : String(Number(minutes) * 60 + Number(seconds))
}

/**
 * Returns a condition whose value fits its field. Where the user named a column by its heading, a value that does not fit
 * is compared with what the table shows. @throws ClientFailure `usage`
 */
export function requireCondition(given: Condition, flag = '--filter'): Condition {
  const { shown, path } = given.field
  // What a table shows is a text without an order: > and < compare with the value only.
  if (!shown || given.isNull || !/^(!?=|~)$/.test(given.operator)) return requireConditionValue(given, flag)
  // A value that fits the type of the field is compared with it. Texts are compared with both, because every text fits.
  try {
    if (given.field.kind !== 'text' && given.operator !== '~') return requireConditionValue(given, flag)
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
  }
  const read = (record: object): unknown => [valueAtPath(record, path), shown(record)]
  return { ...given, field: { path, kind: 'text', isWord: true, read } }
}

function requireConditionValue(given: Condition, flag: string): Condition {
  const condition = { ...given, value: readShown(given.field.kind, given.value) }
  const { field, operator, value, isNull } = condition
  const { path, kind, allowed } = field
  const invalid = (message: string, hint?: string): Error =>
    usageError(`Invalid ${flag} "${path}${operator}${value}": ${message}`, hint)
  if (isNull) {
    if (operator !== '=' && operator !== '!=') throw invalid('null requires = or !=.')
    return condition
  }
  if (operator === '~' || holdsName(condition)) return condition
  if (kind === 'object') throw invalid(`${path} has several values. Use ~, or a field of it: ${path}.<field>.`)
  if (kind === 'number' && (value === '' || !Number.isFinite(Number(value)))) throw invalid(`${path} is a number.`)
  if (kind === 'boolean' && (!/^(true|false)$/.test(value) || !/^!?=$/.test(operator)))
    throw invalid(`${path} is true or false.`)
  if (kind === 'time' && !parseTime(value, 0)) throw invalidTime(flag, value)
  if (!allowed || kind !== 'text' || !/^!?=$/.test(operator)) return condition
  const word = spelledAs(value, allowed)
  if (word === undefined)
    throw invalid(`"${value}" is not a value of ${path}.`, `Allowed values: ${allowed.join(', ')}.`)
  return { ...condition, value: word }
}

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
const toNumber = (value: unknown): number | bigint =>
  /^-?\d{16,}$/.test(String(value)) ? exactInteger(String(value)) : Number(value)

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
