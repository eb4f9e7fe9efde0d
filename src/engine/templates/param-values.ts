// Values of the parameters of a template, as an API request gives them. The keys of parameters and the messages of refusals are
// part of the API (section 2.11); a template reads only texts that passed these checks.

import { Failure } from '../../contract/errors/failures.ts'
import { type Param, type Template, toCatalogueEntry, type Values } from './template.ts'

/** Values for omitted parameters that are filled automatically. */
type AutoValues = Readonly<Partial<Record<NonNullable<Param['auto']>, string>>>

/**
 * Returns a value for each parameter: the given value, otherwise the automatic value, otherwise the default; never the
 * example.
 * @throws Failure `automate.missing_params` with the missing parameters, `automate.invalid_param_choice` for invalid
 * values
 */
export function resolveParams(
  template: Template,
  given: Readonly<Record<string, unknown>>,
  autoValues: AutoValues,
): Values {
  const { params, key } = template
  const known = new Set(params.map((it) => it.key))
  const repeated = Object.keys(given).filter(
    (it) => !known.has(it) && params.some(({ repeatPattern }) => repeatPattern?.test(it)),
  )
  const unknown = Object.keys(given).filter((it) => !known.has(it) && !repeated.includes(it))
  if (unknown.length > 0)
    throw invalidParam(`${key} has no parameter ${unknown.join(', ')}; it has ${[...known].join(', ')}.`)
  const all = [
    ...params,
    ...repeated.map((name) => ({
      ...(params.find(({ repeatPattern }) => repeatPattern?.test(name)) as Param),
      key: name,
    })),
  ]
  const texts = new Map(all.flatMap((it) => toTextEntry(it, given)))
  const missing = params.filter((it) => it.required && !texts.has(it.key)).map((it) => it.key)
  if (missing.length > 0) {
    const specs = toCatalogueEntry(template, 0).params.filter((it) => missing.includes(it.key))
    throw new Failure('automate.missing_params', {
      text: `Required parameters are missing: ${missing.join(', ')}.`,
      extra: { params: specs },
    })
  }
  const values = all.flatMap((param) => {
    const value = texts.get(param.key) ?? (param.auto && autoValues[param.auto]) ?? param.default
    return value === undefined ? [] : [[param.key, requireValidValue(param, value)] as const]
  })
  return Object.fromEntries(values)
}

/** Converts a value to text. Null and blank values are omitted. */
function toTextEntry({ key }: Param, given: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  const value = Object.hasOwn(given, key) ? given[key] : undefined
  if (value === undefined || value === null) return []
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    throw invalidParam(`The parameter ${key} must be a text.`)
  const text = String(value)
  return text.trim() === '' ? [] : [[key, text]]
}

function requireValidValue({ key, choices, check }: Param, given: string): string {
  if (choices && !choices.includes(given))
    throw invalidParam(`The parameter ${key} must be one of ${choices.join(', ')}.`)
  if (!check) return given
  const value = given.trim()
  if (!check.isValid(value)) throw invalidParam(`The parameter ${key} must be ${check.description}.`)
  return value
}

const invalidParam = (text: string): Failure => new Failure('automate.invalid_param_choice', { text })

/** Returns the values of placeholders, by the number or name after the common beginning of their keys. */
export const placeholders = (
  values: Values,
  beginning: string,
  write: (value: string) => string = (it) => it,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      key.startsWith(beginning) ? [[key.slice(beginning.length), write(value)]] : [],
    ),
  )
