// Decides by its name whether a value is a secret. A name that is wrongly `none` shows a secret, and one that is wrongly
// `secret` hides data. `findSecrecy` has the order of the rules.

/**
 * Words that mark the name of a secret. `maxOutputTokens` counts tokens; `access_token`, `accessToken` and
 * `ACCESS-TOKEN` hold one.
 * The masking of definitions, of logged requests and of history uses this file. So does the encryption of stored fields of tools,
 * which are recognized by their form when they are read: a change applies to values that are stored later.
 */
const secretWords = new Set(
  'password passwords passwd pwd passphrase passcode secret secrets token tokens credential credentials authorization cookie cookies bearer jwt'.split(
    ' ',
  ),
)
/** Compound words that are often written without a separator: `apikey`, `accesstoken`. */
const compoundSecret =
  /.(?:password|passwd|passphrase|secret|token)$|^(?:.*(?:api|access|secret|private|auth|client|subscription)keys?|passwords?|connectionstring)$/
/** Short words that are a secret only if they are the whole name. */
const wholeNames = new Set(['pin', 'otp'])
/** Last words that describe a secret without being one: `token_type`, `passwordField`, `authorizationUrl`. */
const descriptiveWords = new Set(
  `type types name names count limit length size format id ids header field label title description placeholder hint help message error status state
  url uri endpoint host domain server path file folder location region zone version method mode scope scopes strategy algorithm alg encoding policy
  consent banner required enabled disabled expiry expires expired expiration lifetime ttl duration at in on date time timestamp usage budget quota
  prefix suffix provider source question rotation rule rules settings options config address symbol decimals amount price balance`.split(
    /\s+/,
  ),
)
/** First words of names that are questions about a secret: `hasPassword`. */
const questionWords = new Set('has is needs requires should show hide allow enable disable include includes'.split(' '))
/** Words that make `tokens` a number of tokens. */
const tokenCountWords = new Set(
  'max min maximum minimum num number count total limit budget usage used input output prompt completion cached reasoning thinking context remaining estimated per n'.split(
    ' ',
  ),
)
const singleTokenCountWords = new Set('max min maximum minimum num number count total limit budget usage'.split(' '))
/** Words that make a token a position in a list. */
const pagingWords = new Set('page next previous prev continuation cursor separator delimiter stop'.split(' '))
/** Words that make a key a secret. */
const secretKeyWords = new Set(
  `api access private secret client auth authorization signing encryption decryption master account subscription service license licence shared ssh
  pgp gpg deploy consumer integration admin session security storage hmac aes rsa server bot app`.split(/\s+/),
)
/** Words that make a key an identifier, for example of a row or of a translation. */
const identifierKeyWords = new Set(
  `primary foreign sort public publishable partition cache row column field record conversation mem memory object group map dict json lookup match
  join natural composite index short issue project translation dedupe dedup unique idempotency store item state property answer question sheet`.split(
    /\s+/,
  ),
)
/** Last words that may be a secret: the value decides. */
const ambiguousWords = new Set(['auth', 'signature', 'sig', 'hmac'])
const authValueWords = new Set(['value', 'code', 'string'])

/** Splits a name into lower-case words without a number at the end: `X-Api-Key2` becomes `x`, `api`, `key`. */
export function splitName(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d+)$/, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((it) => it !== '')
  while (words.length > 1 && /^v?\d+$/.test(words.at(-1) as string)) words.pop()
  return words
}

/** Whether a name marks its value as a secret. For a doubtful name, the value decides. */
export type Secrecy = 'secret' | 'doubtful' | 'none'

const known = new Map<string, Secrecy>()

/** Returns whether a name marks its value as a secret. Cached, because the rows of a file have the same names. */
export function secrecyOf(name: string): Secrecy {
  let found = known.get(name)
  if (found === undefined) {
    found = findSecrecy(name)
    if (known.size > 2000) known.clear()
    known.set(name, found)
  }
  return found
}

function findSecrecy(name: string): Secrecy {
  const words = splitName(name)
  const last = words.at(-1) ?? ''
  if (words.length === 1 && wholeNames.has(last)) return 'secret'
  const isDescribed = descriptiveWords.has(last) && !(last === 'id' && words.at(-2) === 'secret')
  if (words.length > 1 && (isDescribed || questionWords.has(words[0] as string))) return 'none'
  if (isTokenCount(words) || words.some((it, at) => /^tokens?$/.test(it) && pagingWords.has(words[at - 1] ?? '')))
    return 'none'
  const isSecret =
    words.some((it) => secretWords.has(it) || compoundSecret.test(it)) ||
    last === 'pass' ||
    /pass(?:word|phrase)|connectionstring/.test(words.join('')) ||
    (words.includes('auth') && authValueWords.has(last)) ||
    words.some((it, at) => /^keys?$/.test(it) && isSecretKeyWord(words[at - 1]))
  if (isSecret) return 'secret'
  if (words.length > 1 && /^keys?$/.test(last))
    return words.some((it) => identifierKeyWords.has(it)) ? 'none' : words.some(isSecretKeyWord) ? 'secret' : 'doubtful'
  return ambiguousWords.has(last) ? 'doubtful' : 'none'
}

const isSecretKeyWord = (word: string | undefined): boolean =>
  word !== undefined && (secretKeyWords.has(word) || (word.length > 3 && word.endsWith('api')))

function isTokenCount(words: readonly string[]): boolean {
  const others = (it: string): boolean => it !== 'token' && it !== 'tokens'
  if (words.includes('tokens')) return words.filter(others).some((it) => tokenCountWords.has(it))
  return words.includes('token') && words.filter(others).some((it) => singleTokenCountWords.has(it))
}

/** Returns whether a text looks generated: letters and digits without spaces, and not a URL or an email address. */
export const looksRandom = (text: string): boolean =>
  /^(?=.*[a-z])(?=.*\d)[^\s{}@]{12,}$/i.test(text) &&
  !/^[a-z][a-z\d+.-]*:\/\//i.test(text) &&
  !/^[a-z]+(?:[-_][a-z]+)*[-_]?\d{1,4}$/i.test(text)

/**
 * Returns whether a name marks its value as a secret.
 * For ambiguous names (`custom_key`, `signature`) the form of the value decides. Without a value they are not secret.
 */
export function isSecretName(name: string, value?: unknown): boolean {
  const secrecy = secrecyOf(name)
  return secrecy === 'secret' || (secrecy === 'doubtful' && typeof value === 'string' && looksRandom(value.trim()))
}

/** Returns whether an object describes the type of a field, as schemas and editor settings do, and holds no value. */
export const isTypeDescription = (value: object): boolean =>
  Object.hasOwn(value, 'type') &&
  /^(?:string|number|integer|boolean|array|object|null|MANUAL|DYNAMIC)$/.test(
    String((value as { readonly type: unknown }).type),
  )
