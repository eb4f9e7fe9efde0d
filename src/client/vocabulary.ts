type Words = Readonly<Record<string, string>>

/**
 * How one deployment spells the neutral words of the contract, as data. Left the neutral word, right the deployment's.
 * Values and prefixes are listed under the (neutral) key they stand at, so that the same word elsewhere is left alone.
 */
export interface Vocabulary {
  /** Whole path segments. */
  readonly paths: Words
  /** JSON keys and query names. */
  readonly keys: Words
  /** Enumerated values, whole. */
  readonly values: Readonly<Record<string, Words>>
  /** Beginnings of values; under `*` beginnings of keys. */
  readonly prefixes: Readonly<Record<string, Words>>
}

/** Translates between neutral words and one deployment's. What it does not know passes unchanged. */
export interface Codec {
  /** A path with parameters in braces, to the deployment's words. */
  path(template: string): string
  /** A value that stands at a key, to the deployment's words. */
  value(key: string, value: unknown): unknown
  /** The fields of a query or body, to the deployment's words. */
  outgoing(fields: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** An answer, to neutral words. */
  incoming(answer: unknown): unknown
}

/** Under these keys the names are people's own: what happens to look like one of our words is not. */
const freeForm: ReadonlySet<string> = new Set(
  'variables input_variables extracted_variables static_fields headers sample test_sample input arguments result evaluation webhook_response variable_mapping text_variable_mapping fallback_variable_mapping'.split(
    ' ',
  ),
)

/** The codec of a vocabulary. */
export function createCodec(vocabulary: Vocabulary): Codec {
  const out = direction(vocabulary, (words) => words)
  const back = direction(vocabulary, inverse)
  return {
    path: (template) =>
      template
        .split('/')
        .map((segment) => lookUp(vocabulary.paths, segment) ?? segment)
        .join('/'),
    value: (key, value) => out.value(key, value),
    outgoing: (fields) => out.walk(fields, '', true) as Record<string, unknown>,
    incoming: (answer) => back.walk(answer, '', false),
  }
}

function direction(vocabulary: Vocabulary, turn: (words: Words) => Words) {
  const keys = turn(vocabulary.keys)
  const values = mapValues(vocabulary.values, turn)
  const prefixes = mapValues(vocabulary.prefixes, turn)

  // Keys may be paths, as in the errors of a 422: `fallback.messaging_sender_id`.
  const key = (name: string): string =>
    name
      .split('.')
      .map((part) => lookUp(keys, part) ?? withPrefix(prefixes['*'], part) ?? part)
      .join('.')

  function value(at: string, it: unknown): unknown {
    if (typeof it !== 'string') return it
    return lookUp(lookUp(values, at), it) ?? withPrefix(lookUp(prefixes, at), it) ?? it
  }

  /** `at` is the neutral key a value stands at, whichever way we translate. */
  function walk(it: unknown, at: string, outward: boolean): unknown {
    if (Array.isArray(it)) return it.map((item) => walk(item, at, outward))
    if (typeof it !== 'object' || it === null) return value(at, it)
    const result: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(it)) {
      const translated = key(name)
      // Both spellings side by side: neither may swallow the other.
      const next = translated !== name && Object.hasOwn(it, translated) ? name : translated
      const neutral = outward ? name : next
      set(result, next, freeForm.has(neutral) ? inner : walk(inner, neutral, outward))
    }
    return result
  }

  return { value, walk }
}

function set(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

const lookUp = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined => (table && Object.hasOwn(table, key) ? table[key] : undefined)

function withPrefix(prefixes: Words | undefined, text: string): string | undefined {
  for (const [from, to] of Object.entries(prefixes ?? {})) if (text.startsWith(from)) return to + text.slice(from.length)
  return undefined
}

const inverse = (words: Words): Words => Object.fromEntries(Object.entries(words).map(([neutral, wire]) => [wire, neutral]))
const mapValues = (tables: Readonly<Record<string, Words>>, turn: (words: Words) => Words): Readonly<Record<string, Words>> =>
  Object.fromEntries(Object.entries(tables).map(([key, words]) => [key, turn(words)]))
