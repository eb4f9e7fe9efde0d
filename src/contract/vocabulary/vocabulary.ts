// Translates the words of the contract to those of a deployment and back. Translating there and back must return the same
// value, and unknown words stay unchanged. The words themselves are data elsewhere; this code has the rules, and
// test/contract/vocabulary proves them with generated requests and responses.

import { isObject } from '../values/json-object.ts'

const toSpaces = (key: string): string => key.replaceAll('_', ' ')

/** Returns phrases in which an error message names a field. One-word names need a phrase that is certainly a field. */
function fieldNamePhrases([neutral, wire]: readonly [string, string]): [string, string][] {
  const frames = neutral.includes('_') && wire.includes('_') ? ['#'] : ['The # field', 'The selected # ']
  return frames.flatMap((frame): [string, string][] => [
    [frame.replace('#', () => neutral), frame.replace('#', () => wire)],
    [frame.replace('#', () => toSpaces(neutral)), frame.replace('#', () => toSpaces(wire))],
  ])
}

/** Returns every phrase in error messages that names a vocabulary word: the deployment's phrase by the neutral one. */
function vocabularyPhrases({ keys, values, prefixes }: Vocabulary): WordMap {
  const named = Object.entries(keys).flatMap(fieldNamePhrases)
  const valued = Object.entries(values).flatMap(([key, words]) => {
    const wireKey = Object.hasOwn(keys, key) ? (keys[key] as string) : key
    return Object.entries(words).map(([neutral, wire]) => [
      `${toSpaces(key)} is ${neutral}`,
      `${toSpaces(wireKey)} is ${wire}`,
    ])
  })
  const prefixed = Object.entries(prefixes).flatMap(([key, words]) =>
    Object.entries(words).flatMap(([neutral, wire]) => [
      [neutral, wire],
      ...(key === '*' ? [[toSpaces(neutral), toSpaces(wire)]] : []),
    ]),
  )
  return Object.fromEntries([...prefixed, ...valued, ...named])
}

/**
 * Returns a function that translates the names in error messages: from neutral words, or with `isInverse` to neutral
 * words. The rest of the text stays unchanged.
 */
function createPhraseTranslator(vocabulary: Vocabulary, isInverse: boolean): (text: string) => string {
  const pairs = Object.entries(vocabularyPhrases(vocabulary)).map(
    ([neutral, wire]) => (isInverse ? [wire, neutral] : [neutral, wire]) as [string, string],
  )
  if (pairs.length === 0) return (text) => text
  // Toward the deployment, words are swapped in both directions, like the field names.
  const table = new Map(
    isInverse ? pairs : [...pairs.map(([neutral, wire]): [string, string] => [wire, neutral]), ...pairs],
  )
  const phrases = [...table.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![\\w])(${phrases.map(escapeRegExp).join('|')})`, 'g')
  return (text) =>
    text.replace(pattern, (phrase, _, at: number) =>
      endsInsideWord(text, phrase, at) ? phrase : (table.get(phrase) ?? phrase),
    )
}

/** Returns whether a matched phrase ends inside a longer word, which is a different word. Prefixes may end there. */
const endsInsideWord = (text: string, phrase: string, at: number): boolean =>
  /\w$/.test(phrase) && !phrase.endsWith('_') && /\w/.test(text[at + phrase.length] ?? '')

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/@-]/g, '\\$&')

/** Words of a deployment by the neutral ones, or the other way round. */
export type WordMap = Readonly<Record<string, string>>

/**
 * Spelling of the neutral words of the contract on one deployment, as data: neutral word on the left, the deployment's
 * on the right.
 * Values and prefixes are listed by the neutral key whose values they are, so that the same word under other keys is
 * unaffected. Users have such files, and lock files of servers have it: fields are added, not renamed.
 */
export interface Vocabulary {
  /** Whole path segments. */
  readonly paths: WordMap
  /** JSON keys and query parameters. */
  readonly keys: WordMap
  /** Whole enumerated values, by key. */
  readonly values: Readonly<Record<string, WordMap>>
  /** Prefixes of values, by key; under `*` prefixes of keys. */
  readonly prefixes: Readonly<Record<string, WordMap>>
  /** Keys whose numbers the deployment sends as text, with the number of decimals. */
  readonly decimals?: Readonly<Record<string, number>>
  /** Keys whose booleans the deployment sends as 0 and 1. */
  readonly bits?: readonly string[]
  /** Keys of lists whose items the deployment sends as `{type, data: {...}}`, with the name it uses for `data`. */
  readonly wrapped?: WordMap
}

/** Translates between neutral words and the words of one deployment, on the client. Unknown words stay unchanged. */
export interface Codec {
  /** Translates a path with parameters in braces into the deployment's words. */
  path(template: string): string
  /** Translates the name of a field or query parameter into the deployment's words. */
  key(name: string): string
  /** Translates the value of a neutral key into the deployment's words. */
  value(key: string, value: unknown): unknown
  /** Translates the fields of a query or body into the deployment's words. */
  outgoing(fields: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Translates a response into neutral words. */
  incoming(answer: unknown): unknown
  /** Translates the body of an error response, including the names in its messages, into neutral words. */
  refusal(body: unknown): unknown
}

/** Translates requests and responses on a server that uses the words of a deployment. */
export interface ResponseTranslator {
  path(template: string): string
  /** Translates the name of a query parameter into the neutral one. */
  key(name: string): string
  /** Translates the value of a neutral key from the deployment's words. */
  value(key: string, value: unknown): unknown
  /** Translates a request body into neutral words. */
  incoming(body: unknown): unknown
  /** Translates a response into the deployment's words and formats. */
  outgoing(answer: unknown): unknown
  /** Translates an error response into the deployment's words. */
  refusal(body: unknown): unknown
}

/**
 * Keys whose content has names chosen by users, which are not translated even if they look like vocabulary words. Client,
 * server and OpenAPI document use the same list: a missing key changes data of users.
 */
export const freeFormKeys: ReadonlySet<string> = new Set(
  'variables input_variables extracted_variables static_fields headers sample test_sample input arguments result evaluation webhook_response variable_mapping text_variable_mapping fallback_variable_mapping'.split(
    ' ',
  ),
)

/**
 * Creates the codec of a client for a vocabulary. It accepts both spellings of a word, because deployments mix them.
 */
export function createCodec(vocabulary: Vocabulary): Codec {
  const out = createTranslator(vocabulary, (words) => words, true)
  const back = createTranslator(vocabulary, invertWords, true)
  const texts = createPhraseTranslator(vocabulary, true)
  return {
    path: (template) => translateSegments(template, vocabulary.paths),
    key: out.key,
    value: out.value,
    outgoing: (fields) => out.walk(fields, '', true) as Record<string, unknown>,
    incoming: (answer) => translatePageUrls(back.walk(answer, '', false), (url) => back.url(url, false)),
    refusal: (body) => translateTexts(back.walk(body, '', false), texts),
  }
}

/**
 * Creates the translator of a server that uses a vocabulary. It is strict: it knows the deployment's words and not the
 * neutral ones.
 * Each pair of words is swapped. A neutral word in a request becomes one that the contract does not know, and errors
 * name it as it was sent.
 */
export function createResponseTranslator(vocabulary: Vocabulary): ResponseTranslator {
  const out = createTranslator(vocabulary, toBijection, false)
  const back = createTranslator(vocabulary, (words) => invertWords(toBijection(words)), false)
  const texts = createPhraseTranslator(vocabulary, false)
  return {
    path: (template) => translateSegments(template, vocabulary.paths),
    key: back.key,
    value: back.value,
    incoming: (body) => back.walk(body, '', false),
    outgoing: (answer) =>
      translatePageUrls(out.walk(formatValues(answer, vocabulary), '', true), (url) => out.url(url, true)),
    refusal: (body) => translateTexts(out.walk(body, '', true), texts),
  }
}

/** Creates the translation of one direction. With `mixed`, both spellings of a key in an object are preserved. */
function createTranslator(vocabulary: Vocabulary, turn: (words: WordMap) => WordMap, mixed: boolean) {
  const keys = turn(vocabulary.keys)
  const paths = turn(vocabulary.paths)
  const values = mapValues(vocabulary.values, turn)
  const prefixes = mapValues(vocabulary.prefixes, turn)

  // Keys may be paths, as in the errors of a 422: `fallback.messaging_sender_id`.
  const key = (name: string): string =>
    name
      .split('.')
      .map((part) => ownValue(keys, part) ?? replacePrefix(prefixes['*'], part) ?? part)
      .join('.')

  function value(at: string, text: unknown): unknown {
    if (typeof text !== 'string') return text
    return ownValue(ownValue(values, at), text) ?? replacePrefix(ownValue(prefixes, at), text) ?? text
  }

  /** Translates a value recursively. `at` is the neutral key of the value in both directions. */
  function walk(node: unknown, at: string, outward: boolean): unknown {
    if (Array.isArray(node)) return node.map((item) => walk(item, at, outward))
    if (typeof node !== 'object' || node === null) return value(at, node)
    const result: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(node)) {
      const translated = key(name)
      const next = mixed && translated !== name && Object.hasOwn(node, translated) ? name : translated
      const neutral = outward ? name : next
      setOwn(result, next, freeFormKeys.has(neutral) ? inner : walk(inner, neutral, outward))
    }
    return result
  }

  /** Translates the URL of a page: its path and its filters. */
  function url(text: string, outward: boolean): string {
    const at = text.indexOf('?')
    if (at < 0) return translateSegments(text, paths)
    const pairs = text
      .slice(at + 1)
      .split('&')
      .map((pair) => {
        const middle = pair.indexOf('=')
        if (middle < 0) return key(pair)
        const name = pair.slice(0, middle)
        const next = key(name)
        return `${next}=${value(outward ? name : next, pair.slice(middle + 1))}`
      })
    return `${translateSegments(text.slice(0, at), paths)}?${pairs.join('&')}`
  }

  return { key, value, walk, url }
}

const translateSegments = (path: string, words: WordMap): string =>
  path
    .split('/')
    .map((segment) => ownValue(words, segment) ?? segment)
    .join('/')

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

const pageUrls = ['first_page_url', 'last_page_url', 'next_page_url', 'prev_page_url', 'path']

/** Translates the URLs in a page envelope (section 4.8), which contain paths and filters. */
function translatePageUrls(answer: unknown, translate: (url: string) => string): unknown {
  if (!isObject(answer) || !Object.hasOwn(answer, 'per_page')) return answer
  const turned = (it: unknown): unknown => (typeof it === 'string' ? translate(it) : it)
  const urls = pageUrls.filter((name) => Object.hasOwn(answer, name)).map((name) => [name, turned(answer[name])])
  const links = Array.isArray(answer.links)
    ? { links: answer.links.map((it) => (isObject(it) ? { ...it, url: turned(it.url) } : it)) }
    : {}
  return { ...answer, ...Object.fromEntries(urls), ...links }
}

/** Translates the messages of an error response. */
function translateTexts(body: unknown, translate: (text: string) => string): unknown {
  if (!isObject(body)) return body
  const said = (value: unknown): unknown =>
    typeof value === 'string' ? translate(value) : Array.isArray(value) ? value.map(said) : value
  const { message, error, errors } = body
  return {
    ...body,
    ...(message !== undefined && { message: said(message) }),
    ...(error !== undefined && { error: said(error) }),
    ...(isObject(errors) && {
      errors: Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, said(texts)])),
    }),
  }
}

/** Writes numbers, booleans and list items of a response in the format of the deployment. */
function formatValues(value: unknown, vocabulary: Vocabulary): unknown {
  const { decimals = {}, bits = [], wrapped = {} } = vocabulary
  if (Array.isArray(value)) return value.map((item) => formatValues(item, vocabulary))
  if (!isObject(value)) return value
  const write = (key: string, value: unknown): unknown => {
    if (freeFormKeys.has(key)) return value
    if (typeof value === 'number' && Object.hasOwn(decimals, key)) return value.toFixed(decimals[key])
    if (typeof value === 'boolean' && bits.includes(key)) return value ? 1 : 0
    const inside = ownValue(wrapped, key)
    const inner = formatValues(value, vocabulary)
    return inside !== undefined && Array.isArray(inner) ? inner.map((item) => wrapItem(item, inside)) : inner
  }
  return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, write(key, value)]))
}

function wrapItem(item: unknown, inside: string): unknown {
  if (!isObject(item)) return item
  const { type, ...rest } = item
  return { type, [inside]: rest }
}

const ownValue = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table && Object.hasOwn(table, key) ? table[key] : undefined

function replacePrefix(prefixes: WordMap | undefined, text: string): string | undefined {
  for (const [from, to] of Object.entries(prefixes ?? {}))
    if (text.startsWith(from)) return to + text.slice(from.length)
  return undefined
}

/** Returns the map from the deployment's words to the neutral ones. */
const invertWords = (words: WordMap): WordMap =>
  Object.fromEntries(Object.entries(words).map(([neutral, wire]) => [wire, neutral]))

/**
 * Extends a word map to a bijection: each word of the deployment that is not a neutral word maps to the neutral word it
 * replaces. This way no information is lost in either direction.
 */
export function toBijection(words: WordMap): WordMap {
  const back = invertWords(words)
  const result: Record<string, string> = { ...words }
  for (const wire of Object.values(words)) {
    if (Object.hasOwn(words, wire)) continue
    let first = wire
    while (Object.hasOwn(back, first)) first = back[first] as string
    result[wire] = first
  }
  return result
}

const mapValues = (
  tables: Readonly<Record<string, WordMap>>,
  turn: (words: WordMap) => WordMap,
): Readonly<Record<string, WordMap>> =>
  Object.fromEntries(Object.entries(tables).map(([key, words]) => [key, turn(words)]))
