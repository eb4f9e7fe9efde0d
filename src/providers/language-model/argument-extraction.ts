import type { ModelFunction } from '../ports/language-model.ts'
import { toStem, toStems } from './function-matching.ts'

interface Parameter {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly required: boolean
}

/** Returns the parameters of a function from its JSON Schema. */
function listParameters({ parameters }: ModelFunction): Parameter[] {
  const { properties = {}, required = [] } = parameters as {
    readonly properties?: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { type = 'string', description = '' }]) => ({
    name,
    type,
    description,
    required: required.includes(name),
  }))
}

/** Patterns of values, by words in the name or description of a parameter. */
const valuePatterns: readonly (readonly [RegExp, RegExp])[] = [
  [/e-?mail/i, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [/phone|number to call/i, /\+?\d[\d ()-]{5,}\d/],
  [
    /date|day|when/i,
    /\b\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\b(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i,
  ],
  [/time|start|hour/i, /\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]m\b/i],
]

const quotedPattern = /["“]([^"”]+)["”]/
const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Returns the value in `name: value`, `name = value` or `name is value`. */
const namedValue = (text: string, name: string): string | undefined =>
  new RegExp(
    `\\b${escapeRegExp(name).replaceAll('_', '[ _]')}(?:\\s*[:=]\\s*|\\s+is\\s+)["“]?([^,;"”\\n]+?)["”.!?]*(?=$|[,;"”\\n])`,
    'i',
  )
    .exec(text)?.[1]
    ?.trim()

function findText(text: string, { name, description }: Parameter, it: ModelFunction): string | undefined {
  const about = `${name.replaceAll('_', ' ')} ${description}`
  const pattern = valuePatterns.find(([hint]) => hint.test(name)) ?? valuePatterns.find(([hint]) => hint.test(about))
  if (pattern) return pattern[1].exec(text)?.[0]
  const inQuotes = quotedPattern.exec(text)?.[1]
  if (inQuotes !== undefined) return inQuotes
  // Fall back to the last meaningful word that is not part of the function's name or description.
  const own = toStems(`${it.name.replaceAll('_', ' ')} ${it.description}`)
  const words = text.split(/[^\p{L}\p{N}_-]+/u)
  const meaningful = words.filter((word) => toStems(word).size > 0 && !own.has(toStem(word.toLowerCase())))
  // A word with a digit is preferred, because it is usually an identifier.
  return words.findLast((word) => /\d/.test(word)) ?? meaningful.at(-1)
}

function findValue(text: string, it: Parameter, of: ModelFunction): unknown {
  const given = namedValue(text, it.name)
  const from = given ?? text
  if (it.type === 'number' || it.type === 'integer') {
    const [digits] = /-?\d+(?:\.\d+)?/.exec(from) ?? []
    return digits === undefined ? undefined : Number(digits)
  }
  if (it.type === 'boolean')
    return /\b(no|not|false|never)\b/i.test(from) ? false : /\b(yes|true|sure|ok(ay)?)\b/i.test(from) ? true : undefined
  return given ?? findText(text, it, of)
}

/**
 * Extracts the arguments of a function from the conversation. `missing` is the first required parameter without a
 * value.
 */
export function extractArguments(
  text: string,
  it: ModelFunction,
): { readonly args: Record<string, unknown>; readonly missing: { readonly description: string } | undefined } {
  const known = listParameters(it).map((parameter) => ({ ...parameter, value: findValue(text, parameter, it) }))
  return {
    args: Object.fromEntries(known.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value])),
    missing: known.find(({ required, value }) => required && value === undefined),
  }
}
