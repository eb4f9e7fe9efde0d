import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { stringifyJson } from '../../node/json.ts'
import { differences, findMasked, type MaskedValue, maskText, maskValue } from './mask.ts'
import { getOwn } from './node.ts'

/** Minimum length of a secret that is searched for, in characters. Shorter ones would match everywhere. */
const minSecretLength = 6

/**
 * Returns the texts that masking hides in a definition, for `hideSecrets`. A text that is missing here is stored readable in the steps
 * of runs when a server repeats it.
 */
export const findSecrets = (trigger: AutomationNode): string[] =>
  longEnough([
    ...[...findMasked(trigger)].flatMap(textsBehind),
    ...[...walkSteps(trigger)].flatMap(({ node }) => basicCredentials(node.settings)),
  ])

/** Returns the texts that masking hides in a value, such as the headers, fixed fields and URL of a tool. */
export const findSecretsIn = (value: unknown): string[] =>
  longEnough([...differences(value, maskValue(value))].flatMap(textsBehind))

const longEnough = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((it) => it.length >= minSecretLength)

/** Returns a credential as a server may repeat it: whole, without its scheme, decoded, and its password alone. */
function textsBehind({ plain, shown }: MaskedValue): string[] {
  const text = String(plain)
  if (shown !== maskText)
    return partsBehindMask(text, shown).flatMap((part, n) =>
      n === 0 && shown.includes(`://${maskText}@`) ? [part, ...passwordOf(part)] : [part],
    )
  const credential = text.replace(/^(Bearer|Basic|Token|Digest)\s+/i, '')
  if (!/^Basic\s/i.test(text)) return [text, credential]
  const decoded = Buffer.from(credential, 'base64').toString()
  return [text, credential, decoded, ...passwordOf(decoded)]
}

/** Returns the password after a user name, encoded as in the text, and decoded. */
function passwordOf(user: string): string[] {
  const password = user.slice(user.indexOf(':') + 1)
  return [password, new URLSearchParams(`=${password.replaceAll('+', '%2B')}`).get('') ?? password]
}

/** Returns every user name with its password in a value as Basic authentication sends them. */
function basicCredentials(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const [user, password] = [getOwn(value, 'username'), getOwn(value, 'password')]
  const own =
    typeof user === 'string' && typeof password === 'string'
      ? [Buffer.from(`${user}:${password}`).toString('base64')]
      : []
  return [...own, ...Object.values(value).flatMap(basicCredentials)]
}

/** Returns the parts of a text that its masks replace, such as a key in a URL. */
function partsBehindMask(plain: string, shown: string): string[] {
  const around = shown.split(maskText)
  const parts: string[] = []
  let at = (around[0] ?? '').length
  for (const next of around.slice(1)) {
    const end = next === '' ? plain.length : plain.indexOf(next, at)
    if (end < 0) return parts
    parts.push(plain.slice(at, end))
    at = end + next.length
  }
  return parts
}

/** Returns every text and number in a value, such as the secret of a connection. */
export function listTexts(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/**
 * Returns the credentials in the data of a connection: the whole value if it is a text, otherwise the texts that
 * masking would hide.
 */
export function findConnectionSecrets(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return listTexts(value)
  const listHidden = (plain: unknown, shown: unknown): string[] => {
    if (typeof plain === 'object' && plain !== null)
      return Object.entries(plain).flatMap(([key, child]) =>
        listHidden(child, getOwn(shown, key) ?? (shown as unknown[])?.[Number(key)]),
      )
    return plain === shown ? [] : listTexts(plain)
  }
  return listHidden(value, maskValue(value))
}

/**
 * Returns a secret in the forms in which it occurs: plain, in a URL, in a form, in JSON, and in base64 for Basic authentication.
 */
const secretEncodings = (secret: string): string[] => [
  secret,
  // Converted through bytes, because `encodeURIComponent` throws on an unpaired surrogate.
  encodeURIComponent(Buffer.from(secret).toString()),
  new URLSearchParams({ '': secret }).toString().slice(1),
  stringifyJson(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
]

/**
 * Replaces all occurrences of secrets in a text, in any encoding, for example in the response of a server. Skips short
 * secrets, which would match everywhere.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || text === '') return text
  const all = [...new Set(secrets.filter((it) => it.length >= minSecretLength).flatMap(secretEncodings))].sort(
    (a, b) => b.length - a.length,
  )
  return all.reduce((shown, secret) => hideTruncatedSecret(shown.replaceAll(secret, maskText), secret), text)
}

/** Hides the beginning of a secret at the end of a truncated text. */
function hideTruncatedSecret(text: string, secret: string): string {
  const end = text.endsWith('…') ? text.length - 1 : text.length
  for (let length = Math.min(secret.length - 1, end); length >= minSecretLength; length -= 1)
    if (text.startsWith(secret.slice(0, length), end - length)) return `${text.slice(0, end - length)}${maskText}`
  return text
}

/** Applies `hideSecrets` to every text in a value. */
export function hideSecretsIn<T>(value: T, secrets: readonly string[]): T
export function hideSecretsIn(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value
  if (typeof value === 'string') return hideSecrets(value, secrets)
  if (typeof value === 'number' || typeof value === 'bigint') return secrets.includes(String(value)) ? maskText : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => hideSecretsIn(it, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [hideSecrets(key, secrets), hideSecretsIn(child, secrets)]),
  )
}
