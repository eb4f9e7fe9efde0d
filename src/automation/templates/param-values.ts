import { Failure } from '../../contract/errors/failures.ts'
import { type Param, type Template, toCatalogueEntry, type Values } from './template.ts'

/** What fills parameters in that were left out. */
export type AutoValues = Readonly<Partial<Record<NonNullable<Param['auto']>, string>>>

/**
 * A value for each parameter: what was given, else what fills it in, else its default; never its example.
 * @throws Failure `automate.missing_params` with the parameters that are missing, `automate.invalid_param_choice` naming what is wrong
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
  const values = all.flatMap((it) => {
    const value = texts.get(it.key) ?? (it.auto && autoValues[it.auto]) ?? it.default
    return value === undefined ? [] : [[it.key, checkValue(it, value)] as const]
  })
  return Object.fromEntries(values)
}

/** Texts, and what is written as one; nothing and blanks are left out. */
function toTextEntry({ key }: Param, given: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  const value = Object.hasOwn(given, key) ? given[key] : undefined
  if (value === undefined || value === null) return []
  if (!['string', 'number', 'boolean'].includes(typeof value))
    throw invalidParam(`The parameter ${key} must be a text.`)
  const text = String(value)
  return text.trim() === '' ? [] : [[key, text]]
}

function checkValue({ key, choices, check }: Param, given: string): string {
  if (choices && !choices.includes(given))
    throw invalidParam(`The parameter ${key} must be one of ${choices.join(', ')}.`)
  if (!check) return given
  const value = given.trim()
  if (!check.isValid(value)) throw invalidParam(`The parameter ${key} must be ${check.description}.`)
  return value
}

const invalidParam = (text: string): Failure => new Failure('automate.invalid_param_choice', { text })

/** The values of placeholders, by the number or name behind the beginning of their keys. */
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
