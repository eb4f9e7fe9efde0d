// Fields of the inputs of actions and triggers. Saved definitions have what these fields accept: they never accept less. Published
// automations rely on the converted value too: a default, a text as a number.

import * as z from '../../contract/schema/schema.ts'
import { httpHeader } from '../../contract/values/http-header.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { looksMasked } from '../../contract/values/mask.ts'
import { maskText } from '../../contract/values/mask-text.ts'
import { isTimeZone } from '../../contract/values/time-zone.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { hasToken } from '../expressions/tokens.ts'

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''
const scalarToText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value

/** Parses the JSON in a text; other text and other values stay unchanged. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

/** Required text. Numbers are converted to text. */
export const text = z.preprocess(scalarToText, z.string().min(1))
/** Text that may be empty, but not missing. */
export const content = z.preprocess((it) => scalarToText(it ?? undefined), z.string())
/** Text. A missing value becomes the empty text. */
export const anyText = z.preprocess(
  (it) => (isBlank(it) ? '' : isObject(it) || Array.isArray(it) ? stringifyJson(it) : scalarToText(it)),
  z.string(),
)
/** Text, or undefined if it is empty. */
export const optionalText = z.preprocess((it) => (isBlank(it) ? undefined : scalarToText(it)), z.string().optional())
/** Number, or a text that represents one. Steps compute with doubles, so a large integer is rounded here. */
const parseNumber = (value: unknown): unknown =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'bigint' ? Number(value) : value
export const number = z.preprocess((it) => (it === '' ? undefined : parseNumber(it)), z.number())
/** Id of a record of the platform. */
export const id = z.preprocess((it) => (it === '' ? undefined : parseNumber(it)), z.int().positive())
/** Boolean, or its text. An empty value is false. */
export const flag = z.preprocess(
  (it) => (isBlank(it) ? false : it === 'true' ? true : it === 'false' ? false : it),
  z.boolean(),
)
/** Returns a schema of a required integer in a range. */
export const integer = (min: number, max: number) =>
  z.preprocess((it) => (it === '' ? undefined : parseNumber(it)), z.int().min(min).max(max))
/** Returns a schema of an integer in a range, with a default. */
export const wholeNumber = (fallback: number, min: number, max: number) =>
  z.preprocess((it) => (isBlank(it) ? fallback : parseNumber(it)), z.int().min(min).max(max))
/** Returns a schema of a number in a range, with a default. */
export const numberOr = (fallback: number, min: number, max: number) =>
  z.preprocess((it) => (isBlank(it) ? fallback : parseNumber(it)), z.number().min(min).max(max))
/** Returns a schema of one of several values, with an optional default. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T, fallback?: T[number]) =>
  z.preprocess((it) => (isBlank(it) ? fallback : it), z.enum(values))

/** Any value, or none. */
export const anything = z.unknown().optional()

/** Map from names to values, or the JSON text of one. */
export const map = z.preprocess((it) => (isBlank(it) ? {} : fromJson(it)), z.record(z.string(), z.unknown()))
/** Map like `map`, with text values. */
export const texts = z.preprocess((it) => (isBlank(it) ? {} : fromJson(it)), z.record(z.string(), anyText))
/**
 * Returns whether HTTP cannot send a text as the value of a header. A text with an expression is checked when the step
 * runs, and a mask is replaced before.
 */
export const isUnsendable = (value: string): boolean =>
  !httpHeader.value.test(value.trim()) && !hasToken(value) && !value.includes(maskText) && !looksMasked(value)

/**
 * Headers that HTTP can send. Spaces and line breaks around names and values are removed. A name with an expression is
 * checked when the step runs, and a mask is replaced before.
 */
export const httpHeaders = texts
  .transform((it) => Object.fromEntries(Object.entries(it).map(([name, value]) => [name.trim(), value.trim()])))
  .superRefine((pairs, context) => {
    for (const [name, value] of Object.entries(pairs)) {
      if (name !== '' && !hasToken(name) && !httpHeader.name.test(name))
        context.addIssue({
          code: 'custom',
          message: `has the invalid header name ${stringifyJson(name)}. ${httpHeader.nameRule}`,
        })
      if (isUnsendable(value))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `contains characters that are not allowed in a header. ${httpHeader.valueRule}`,
        })
    }
  })
/** List of at least one text, or the JSON text of one. */
export const textList = z.preprocess((it) => (isBlank(it) ? undefined : fromJson(it)), z.array(anyText).min(1))
/** Email addresses: a list, or a text with commas between them. */
export const addresses = z.preprocess(
  (value) =>
    (Array.isArray(value) ? value : isBlank(value) ? [] : String(value).split(','))
      .map((one: unknown) => (typeof one === 'string' ? one.trim() : one))
      .filter((one) => !isBlank(one)),
  z.array(z.string().regex(/^[^\s@<>]+@[^\s@<>]+$|^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/, 'must be email addresses')),
)
/** Point in time, in any format with a date and a time. Without a time zone it is UTC. */
export const moment = z
  .preprocess(
    (it) => (typeof it === 'number' ? it : typeof it === 'string' ? toMillis(it) : it),
    z.number({ error: 'must be a date and time' }),
  )
  .describe('Date and time')

/**
 * Parses a date and time in common formats to milliseconds since the epoch. A date alone is midnight UTC. Returns
 * undefined for other text.
 */
export function toMillis(text: string): number | undefined {
  const trimmed = text.trim()
  if (/^\d{10}$/.test(trimmed)) return Number(trimmed) * 1000
  if (/^\d{13}$/.test(trimmed)) return Number(trimmed)
  const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(trimmed)
  if (!iso) return undefined
  const [, date, time = '00:00', zone = 'Z'] = iso
  const millis = Date.parse(`${date}T${time}${zone}`)
  return Number.isNaN(millis) || !isCalendarDay(date ?? '') ? undefined : millis
}

const isCalendarDay = (date: string): boolean => new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true

/** Returns a schema of an object that may have additional fields. */
export const fields = <T extends z.ZodRawShape>(shape: T) => z.looseObject(shape)

/** IANA time zone (default: UTC). */
export const zone = z
  .preprocess(
    (it) => (isBlank(it) ? 'UTC' : it),
    z.string().refine(isTimeZone, 'must be a time zone such as Europe/Paris'),
  )
  .describe('Time zone, such as Europe/Paris')
