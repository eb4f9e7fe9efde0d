import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { stringifyJson } from '../../node/json.ts'
import { findMasked, maskText, maskValue } from './mask.ts'
import { getOwn } from './node.ts'

/** Minimum length of a secret that is searched for, in characters. Shorter ones would match everywhere. */
const minSecretLength = 6

/** Returns the texts that masking hides in a definition, for `hideSecrets`. */
export function findSecrets(trigger: AutomationNode): string[] {
  const found = new Set<string>()
  for (const { plain, shown } of findMasked(trigger)) {
    const text = String(plain)
    const parts =
      shown === maskText ? [text, text.replace(/^(Bearer|Basic|Token|Digest)\s+/i, '')] : partsBehindMask(text, shown)
    for (const it of parts) found.add(it)
  }
  for (const { node } of walkSteps(trigger)) for (const it of basicCredentials(node.settings)) found.add(it)
  return [...found].filter((it) => it.length >= minSecretLength)
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
      return Object.entries(plain).flatMap(([key, it]) =>
        listHidden(it, getOwn(shown, key) ?? (shown as unknown[])?.[Number(key)]),
      )
    return plain === shown ? [] : listTexts(plain)
  }
  return listHidden(value, maskValue(value))
}

/**
 * Returns a secret in the forms in which it occurs: plain, in a URL, in JSON, and in base64 for Basic authentication.
 */
const secretEncodings = (secret: string): string[] => [
  secret,
  // Converted through bytes, because `encodeURIComponent` throws on an unpaired surrogate.
  encodeURIComponent(Buffer.from(secret).toString()),
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
export function hideSecretsIn(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value
  if (typeof value === 'string') return hideSecrets(value, secrets)
  if (typeof value === 'number' || typeof value === 'bigint') return secrets.includes(String(value)) ? maskText : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => hideSecretsIn(it, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [hideSecrets(key, secrets), hideSecretsIn(it, secrets)]),
  )
}
