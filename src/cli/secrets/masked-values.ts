import { isDeepStrictEqual } from 'node:util'
import { redactedText, redactText, redactValue } from '../../client/requests/redact.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { maskText } from '../../contract/values/mask.ts'

/** Replaces a credential in output; sent back, it means "unchanged". */
export const mask = maskText

type Fields = Readonly<Record<string, unknown>>

/** Returns whether a text is masked, in whole or in part. */
export const isMasked = (value: unknown): value is string =>
  typeof value === 'string' && (value.includes(redactedText) || value.includes(mask))

/** Fields that identify entries of a list. */
const identifyingKeys = ['name', 'key', 'slug', 'link', 'type'] as const

/**
 * Returns the counterpart of entry `n` of a list in another list: by its name if that is unique, else the one that is
 * equal except for secrets. Undefined if several could be meant, because a secret must not get into another entry.
 */
export function findCounterpart(entries: readonly unknown[], n: number, others: unknown): unknown {
  if (!Array.isArray(others)) return undefined
  const entry = entries[n]
  const key = isObject(entry) ? identifyingKeys.find((it) => typeof entry[it] === 'string') : undefined
  if (key === undefined) return others[n]
  const isAlike = (it: unknown): boolean => isObject(it) && it[key] === (entry as Fields)[key]
  const [own, alike] = [entries.filter(isAlike), others.filter(isAlike)]
  if (own.length <= 1 && alike.length <= 1) return alike[0]
  if (own.length === alike.length && own.every((it, at) => isSameExceptSecrets(it, alike[at])))
    return alike[entries.slice(0, n).filter(isAlike).length]
  const same = alike.filter((it) => isSameExceptSecrets(entry, it))
  return same.every((it) => isDeepStrictEqual(it, same[0])) ? same[0] : undefined
}

/** Returns whether a text is masked or references an environment variable. */
const hidesSecret = (value: unknown): boolean =>
  isMasked(value) || (typeof value === 'string' && /\$\{[A-Z_][A-Z0-9_]*\}/.test(value))

/** Returns whether two values are equal except for secrets that one of them hides, and fields that one does not have. */
function isSameExceptSecrets(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((it, n) => isSameExceptSecrets(it, other[n]))
  if (isObject(one) && isObject(other))
    return Object.keys(one).every((name) => !Object.hasOwn(other, name) || isSameExceptSecrets(one[name], other[name]))
  return hidesSecret(one) || hidesSecret(other) || isDeepStrictEqual(one, other)
}

/** Replaces masked values by the live values at the same path. `onMissing` is called for paths without one. */
export function restoreMasked(
  value: unknown,
  live: unknown,
  path: string,
  onMissing: (path: string) => void,
  isSecret: (it: unknown) => it is string = isMasked,
): unknown {
  if (Array.isArray(value))
    return value.map((it, n) => restoreMasked(it, findCounterpart(value, n, live), `${path}.${n}`, onMissing, isSecret))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, it]) => {
        const liveValue = isObject(live) && Object.hasOwn(live, name) ? live[name] : undefined
        return [name, restoreMasked(it, liveValue, path === '' ? name : `${path}.${name}`, onMissing, isSecret)]
      }),
    )
  if (!isSecret(value)) return value
  const isWholeMask = value === redactedText || value === mask
  if (typeof live === 'string' && live !== '' && (isWholeMask || live === value || redactText(live) === value))
    return live
  onMissing(path)
  return value
}

/** Returns whether a text only references a secret and contains none: `Bearer {{api_token}}`. */
const isExpression = (text: string): boolean =>
  text.includes('{{') && /^(?:Bearer|Basic|Token|Digest)?:?$/i.test(text.replaceAll(/\{\{[^{}]*\}\}/g, '').trim())

/** Returns a resource without its secrets, for saving or comparing. Masked values and expressions are unchanged. */
export function redactSecrets<T>(it: T): T {
  const walk = (one: unknown, redacted: unknown): unknown => {
    if (Array.isArray(one)) return one.map((value, n) => walk(value, (redacted as readonly unknown[])[n]))
    if (isObject(one))
      return Object.fromEntries(
        Object.entries(one).map(([name, value]) => [name, walk(value, (redacted as Fields)[name])]),
      )
    return typeof one === 'string' && isExpression(one) ? one : redacted
  }
  return walk(it, redactValue(it)) as T
}
