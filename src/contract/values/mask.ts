import { parseJson } from '../../node/json.ts'
import { isObject } from './json-object.ts'
import { maskText } from './mask-text.ts'
import { isTypeDescription, type Secrecy, secrecyOf } from './secret-names.ts'

const bullet = '[•●∙·⦁◦*＊]'
/** Bullets or asterisks with at most 4 characters after them, `<...>` or `[...]`, also after an authentication scheme. */
const maskPattern = new RegExp(
  `^(?:(?:Bearer|Basic|Token|Digest) +)?(?:(?:${bullet} ?)+.{0,4}|<[^<>]*>|\\[[^[\\]]*\\])$`,
  'iu',
)
/** The same where the name says nothing about the value, such as `stop_key` with the value `*`. */
const plainMaskPattern = new RegExp(
  `^(?:(?:${bullet} ?){3,}.{0,4}|[<[](?:[^<>[\\]]*[^a-z<>[\\]])?(?:hidden|redacted|masked|filtered|removed|secret|password|token|credential)s?(?:[^a-z<>[\\]][^<>[\\]]*)?[>\\]])$`,
  'iu',
)

/**
 * Returns whether a text has the form of a mask, whichever platform wrote it: `********`, `••••1234`, `[redacted]`,
 * `<secret>`. Expressions and references to variables are never masks. The client refuses to send a mask in place of a secret
 * (require-no-masks.ts): a form that is missing here overwrites the credential.
 */
export function looksMasked(text: string, secrecy: Secrecy = 'secret'): boolean {
  const value = text.trim()
  if (value.includes('{{') || value.includes('${')) return false
  return (secrecy === 'secret' ? maskPattern : plainMaskPattern).test(value)
}

/** Where a value is within another one. */
export interface Place {
  /** Such as `flow.steps.0.settings.input.headers.authorization`. */
  readonly path: string
  /** The name of the header or field, where the path ends in `value`. */
  readonly name?: string
  /** Whether the names around it mark it as a secret. */
  readonly secrecy: Secrecy
}

/** The place of a whole value. */
export const rootPlace: Place = { path: '', secrecy: 'none' }

/** A text within a value. */
export interface TextPlace extends Place {
  readonly text: string
}

/**
 * Returns the paths of all texts within a value for which `isMask` returns true, in order, with the name of a header. Every row
 * of a file is searched twice, so it makes no more objects than it needs.
 */
export function findMasks(value: unknown, isMask: (place: TextPlace) => boolean = isMaskText): string[] {
  const found: string[] = []
  // An explicit stack, because a definition may be nested deeper than the call stack allows.
  const stack: { readonly current: unknown; readonly place: Place }[] = [{ current: value, place: rootPlace }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { current, place } = next
    if (typeof current === 'string' && isMask({ ...place, text: current })) found.push(labelOf(place))
    if (typeof current !== 'object' || current === null) continue
    for (const name of Object.keys(current).reverse()) {
      const inner = (current as Readonly<Record<string, unknown>>)[name]
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null))
        stack.push({ current: inner, place: placeWithin(current, name, place) })
    }
  }
  return found
}

/** Returns a path with the name of its header or field: `headers.0.value (X-Api-Key)`. */
export const labelOf = ({ path, name }: Place): string => (name === undefined ? path : `${path} (${name})`)

const isMaskText = ({ text }: TextPlace): boolean => text.includes(maskText)

/**
 * Returns whether a text hides a credential: it has the form of a mask, and its name marks it as a secret. Also within
 * a URL and within JSON as text.
 */
export function isMaskedSecret({ text, secrecy }: Pick<TextPlace, 'text' | 'secrecy'>): boolean {
  if (secrecy !== 'none' && looksMasked(text, secrecy)) return true
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return hidesPartOfUrl(text)
  return /^\s*[{[]/.test(text) && findMasks(parseJsonOrNothing(text), isMaskedSecret).length > 0
}

function hidesPartOfUrl(text: string): boolean {
  const [, user = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#@\s]*)@/i.exec(text) ?? []
  if (user.split(':').some((it) => looksMasked(decode(it)))) return true
  return [...text.matchAll(/[?&;]([^=&#?;\s]+)=([^&#;\s]*)/g)].some(([, name = '', value = '']) => {
    const secrecy = secrecyOf(name)
    return secrecy !== 'none' && looksMasked(decode(value), secrecy)
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parseJsonOrNothing(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns the place of a field of an object, or of an item of a list. */
export function placeWithin(holder: object, name: string, { path, secrecy }: Place): Place {
  const pair = name === 'value' && isObject(holder) ? pairName(holder) : undefined
  const own = Array.isArray(holder) ? 'none' : secrecyOf(pair ?? name)
  // The names inside a secret decide as well. A schema of a secret holds none.
  const inherited =
    secrecy === 'none' || isTypeDescription(holder) ? 'none' : Array.isArray(holder) ? secrecy : 'doubtful'
  const place: Place = { path: path === '' ? name : `${path}.${name}`, secrecy: own === 'none' ? inherited : own }
  return pair === undefined ? place : { ...place, name: pair }
}

/** Returns the name of a `{name, value}` or `{key, value}` pair. */
const pairName = ({ name, key }: Readonly<Record<string, unknown>>): string | undefined =>
  [name, key].find((it): it is string => typeof it === 'string')
