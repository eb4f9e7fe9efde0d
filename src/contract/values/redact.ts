import { parseJson, stringifyJson } from '../../node/json.ts'
import { isFile } from '../endpoint/uploaded-files.ts'
import { isSecretName as isSecret } from './secret-names.ts'

/**
 * Replaces a secret in texts. The history and the journal have it, and undo, push and every write recognize it there: it
 * never changes.
 */
export const redactedText = '[hidden]'

/** Header names that never contain secrets. In a list of headers, all others may. */
const harmlessHeader =
  /^(accept|acceptencoding|acceptlanguage|contenttype|contentlength|useragent|host|connection|date|server|location|retryafter|xrequestid|vary|cachecontrol|keepalive|transferencoding|idempotencykey|idempotentreplayed|parley(assumed|clock)|xratelimit.*|etag|lastmodified|via|allow|expires|pragma|age|contentlanguage|contentencoding|xcache|xpoweredby|stricttransportsecurity)$/

const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * Returns whether a field, query parameter or header of this name contains a secret. For ambiguous names the form of
 * the value decides. Unlike that of secret-names.ts, it includes the control token of a server.
 */
export const isSecretName = (name: string, value?: unknown): boolean =>
  isSecret(name, value) || normalizeName(name) === 'parleycontrol'

/**
 * Patterns of secrets by their form: keys of the platform, bearer tokens, keys of other services, JSON web tokens,
 * passwords in URLs.
 */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer)\s+[^\s"',;]{6,}/gi, `$1 ${redactedText}`],
  // Excludes phrases such as "Basic information".
  [/\b([Bb]asic|BASIC)\s+(?=[^\s"',;]*(?:\d|=|[a-z][A-Z]))[^\s"',;]{6,}/g, `$1 ${redactedText}`],
  [/\b\d+\|[A-Za-z0-9]{16,}/g, redactedText],
  [/\b(sk|pk|rk|whsec|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{12,}/g, redactedText],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?/g, redactedText],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"]+@/gi, `$1${redactedText}@`],
  [/([?&]|^)([\w.[\]-]+)=([^&\s"#]+)/g, ''],
]

/** Returns a text without the given secrets and without texts that have the form of a secret. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let result = text
  for (const secret of secrets)
    if (secret.length >= 4)
      result = result.replaceAll(secret, redactedText).replaceAll(encodeURIComponent(secret), redactedText)
  for (const [shape, instead] of secretPatterns) {
    result =
      instead === ''
        ? result.replace(shape, (all: string, mark: string, name: string, value: string) =>
            isSecretName(name, value) ? `${mark}${name}=${redactedText}` : all,
          )
        : result.replace(shape, instead)
  }
  return result
}

/**
 * Returns a copy of a JSON value without secrets: by field name, by `name` or `key` next to a `value`, inside
 * `headers`, and by form. Files are not changed.
 */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  return walk(value, secrets, 'outside headers')
}

/**
 * Returns a copy of the input of a command without secrets, to show a person what would be sent. Headers whose name and
 * value do not look like a secret are shown, unlike in logs.
 */
export const redactInput = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  walk(input, [], 'anywhere') as Record<string, unknown>

/** Where a value is: inside headers, every value may be a secret. `anywhere` makes no difference between them. */
type Place = 'outside headers' | 'in headers' | 'anywhere'

function walk(value: unknown, secrets: readonly string[], place: Place): unknown {
  if (typeof value === 'string') return redactText(value, secrets)
  if (Array.isArray(value)) return value.map((it) => walk(it, secrets, place))
  if (typeof value !== 'object' || value === null || isFile(value)) return value
  const about = pairName(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const isPairValue = about !== undefined && name === 'value'
      const secret = isPairValue
        ? isSecretName(about, child) || (place === 'in headers' && !harmlessHeader.test(normalizeName(about)))
        : isSecretName(name, child) ||
          (place === 'in headers' &&
            about === undefined &&
            typeof child === 'string' &&
            !harmlessHeader.test(normalizeName(name)))
      return [
        name,
        secret && (typeof child === 'string' || typeof child === 'number' || typeof child === 'bigint')
          ? redactedText
          : walk(
              child,
              secrets,
              place === 'outside headers' && normalizeName(name) === 'headers' ? 'in headers' : place,
            ),
      ]
    }),
  )
}

/** Returns the name of a `{name, value}` or `{key, value}` pair. */
function pairName(pair: object): string | undefined {
  if (!('value' in pair)) return undefined
  const name = 'name' in pair ? pair.name : 'key' in pair ? pair.key : undefined
  return typeof name === 'string' ? name : undefined
}

/** Returns a body without secrets: as JSON if it is JSON, else by form and by `"name": "value"`. */
export function redactBody(body: string, secrets: readonly string[] = []): string {
  try {
    return stringifyJson(redactValue(parseJson(body), secrets))
  } catch {
    const fields = body.replace(
      /"([^"\\]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)("|$)/g,
      (all, name: string, colon: string, value: string) =>
        isSecretName(name, value) ? `"${name}"${colon}"${redactedText}"` : all,
    )
    return redactText(fields, secrets)
  }
}

/**
 * Returns the beginning of a longer body without secrets, and an ellipsis. JSON is cut between two values and closed, so
 * that every value is below its name.
 */
export const redactBeginning = (beginning: string): string => `${redactBody(closeJson(beginning) ?? beginning)}…`

/** Returns the beginning of a JSON text as valid JSON: without its last, incomplete value. */
function closeJson(beginning: string): string | undefined {
  let closing = ''
  let complete: string | undefined
  // A string that the cut leaves open has no match for its quote.
  for (const { 0: token, index } of beginning.matchAll(/"(?:[^"\\]|\\.)*"|"|[{}[\],]/gs)) {
    if (token === '"') break
    if (token === '{') closing = `}${closing}`
    if (token === '[') closing = `]${closing}`
    if (token === '}' || token === ']') closing = closing.slice(1)
    if (token.length === 1) complete = beginning.slice(0, token === ',' ? index : index + 1) + closing
  }
  return complete
}

/** Returns headers without secrets. A bearer token keeps its last four characters, which identify it. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretName(name, value) ? redactHeader(value) : redactText(value, secrets),
    ]),
  )
}

function redactHeader(value: string): string {
  const [, scheme, token] = /^(Bearer) (\S{20,})$/i.exec(value) ?? []
  return scheme && token ? `${scheme} …${token.slice(-4)}` : redactedText
}
