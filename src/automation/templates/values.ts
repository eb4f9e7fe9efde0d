import { Failure } from '../../contract/errors.ts'
import { entryOf, type Param, type Template, type Values } from './template.ts'

/** What fills parameters in that were left out. */
export type Fillings = Readonly<Partial<Record<NonNullable<Param['auto']>, string>>>

/**
 * A value for each parameter: what was given, else what fills it in, else its default; never its example.
 * @throws Failure `automate.missing_params` with the parameters that are missing, `automate.invalid_param_choice` naming what is wrong
 */
export function valuesOf(template: Template, given: Readonly<Record<string, unknown>>, fillings: Fillings): Values {
  const { params, key } = template
  const known = new Set(params.map((it) => it.key))
  const further = Object.keys(given).filter((it) => !known.has(it) && params.some(({ more }) => more?.test(it)))
  const strange = Object.keys(given).filter((it) => !known.has(it) && !further.includes(it))
  if (strange.length > 0) throw wrong(`${key} has no parameter ${strange.join(', ')}; it has ${[...known].join(', ')}.`)
  const all = [...params, ...further.map((name) => ({ ...(params.find(({ more }) => more?.test(name)) as Param), key: name }))]
  const texts = new Map(all.flatMap((it) => textOf(it, given)))
  const missing = params.filter((it) => it.required && !texts.has(it.key)).map((it) => it.key)
  if (missing.length > 0) {
    const specs = entryOf(template, 0).params.filter((it) => missing.includes(it.key))
    throw new Failure('automate.missing_params', { text: `Required parameters are missing: ${missing.join(', ')}.`, extra: { params: specs } })
  }
  const values = all.flatMap((it) => {
    const value = texts.get(it.key) ?? (it.auto && fillings[it.auto]) ?? it.default
    return value === undefined ? [] : [[it.key, checked(it, value)] as const]
  })
  return Object.fromEntries(values)
}

/** Texts, and what is written as one; nothing and blanks are left out. */
function textOf({ key }: Param, given: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  const value = Object.hasOwn(given, key) ? given[key] : undefined
  if (value === undefined || value === null) return []
  if (!['string', 'number', 'boolean'].includes(typeof value)) throw wrong(`The parameter ${key} must be a text.`)
  const text = String(value)
  return text.trim() === '' ? [] : [[key, text]]
}

function checked({ key, choices, check }: Param, given: string): string {
  if (choices && !choices.includes(given)) throw wrong(`The parameter ${key} must be one of ${choices.join(', ')}.`)
  if (!check) return given
  const value = given.trim()
  if (!check.isSo(value)) throw wrong(`The parameter ${key} must be ${check.words}.`)
  return value
}

const wrong = (text: string): Failure => new Failure('automate.invalid_param_choice', { text })

/** The values of placeholders, by the number or name behind the beginning of their keys. */
export const placeholders = (values: Values, beginning: string, write: (value: string) => string = (it) => it): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (key.startsWith(beginning) ? [[key.slice(beginning.length), write(value)]] : [])))
