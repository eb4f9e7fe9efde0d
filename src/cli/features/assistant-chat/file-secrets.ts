import { isMask } from '../../../client/requests/require-no-masks.ts'
import { isObject, mapTexts } from '../../../contract/values/json-object.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import { isReference, referencePattern } from '../../program/documents/environment-secrets.ts'
import { redactSecrets } from '../../program/secrets/masked-values.ts'

/** Shorter texts are not replaced, because they occur in ordinary words. */
const minLength = 6

/**
 * Returns the secrets of documents: their credentials in plain text, and the values of the environment variables that they
 * refer to. openFileChat masks them in the conversation that is saved: one that is not found here is written to the file of the
 * user.
 */
export function secretTexts(
  documents: readonly unknown[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const found = new Set<string>()
  const walk = (value: unknown, redacted: unknown): void => {
    if (Array.isArray(value))
      for (const [n, one] of value.entries()) walk(one, Array.isArray(redacted) ? redacted[n] : undefined)
    else if (isObject(value))
      for (const [name, one] of Object.entries(value)) walk(one, isObject(redacted) ? redacted[name] : undefined)
    else if (isReference(value))
      for (const [, name = ''] of value.matchAll(referencePattern)) found.add(env[name] ?? '')
    else if (typeof value === 'string' && redacted === redactedText && !isMask(value)) found.add(value)
  }
  for (const document of documents) walk(document, redactSecrets(document))
  // The longest first, so that no part of one remains.
  return [...found].filter((it) => it.length >= minLength).sort((a, b) => b.length - a.length)
}

/** Returns a value in which every secret is masked. */
export const withoutSecrets = <T>(value: T, secrets: readonly string[]): T =>
  secrets.length === 0
    ? value
    : (mapTexts(value, '', (text) => secrets.reduce((it, secret) => it.replaceAll(secret, redactedText), text)) as T)
