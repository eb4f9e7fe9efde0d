import { isDeepStrictEqual } from 'node:util'
import { isAnyMask, isMask, isOnlyMaskLike, maskedValueFailure } from '../../../client/requests/require-no-masks.ts'
import { isObject, mapTexts } from '../../../contract/values/json-object.ts'
import { labelOf, looksMasked, type Place, placeWithin, rootPlace } from '../../../contract/values/mask.ts'
import { maskText } from '../../../contract/values/mask-text.ts'
import { redactedText, redactText, redactValue } from '../../../contract/values/redact.ts'
import type { Context } from '../context.ts'

/** Replaces a credential in output; sent back, it means "unchanged". */
export const mask = maskText

type Fields = Readonly<Record<string, unknown>>

/** Returns whether a text is masked, in whole or in part. */
export const isMasked = (value: unknown): value is string =>
  typeof value === 'string' && (value.includes(redactedText) || value.includes(mask))

/** Returns a value in which every mask has the same text, so that it can be compared. */
export const withOneMask = (value: unknown): unknown => mapTexts(value, '', (it) => it.replaceAll(mask, redactedText))

/** Returns whether a text is a mask and shows nothing else. */
const isMaskOnly = (text: string): boolean => text === redactedText || text === mask

/** Returns whether two masked texts may be equal: both show the same around their masks, or one of them shows nothing. */
export const mayBeEqual = (one: string, other: string): boolean =>
  isMaskOnly(one) || isMaskOnly(other) || withOneMask(one) === withOneMask(other)

/** Fields that identify entries of a list. */
const identifyingKeys = ['name', 'key', 'slug', 'link', 'type'] as const

/** Fields that distinguish entries of the same `type`: their kind, and what they refer to. */
const kindFields = /_type$/
const addressFields = /_(?:slug|uri)$/
/** Returns whether two entries have the same texts in fields of these names, and how many both have. */
function matches(one: Fields, other: Fields, names: RegExp): { readonly isSame: boolean; readonly count: number } {
  const both = Object.keys(one).filter(
    (name) => names.test(name) && typeof one[name] === 'string' && typeof other[name] === 'string',
  )
  return { isSame: both.every((name) => one[name] === other[name]), count: both.length }
}

/**
 * Returns the counterpart of entry `n` of a list in another list: by its name if that is unique, else the one that is
 * equal except for secrets. Undefined if several could be meant, because a secret must not get into another entry.
 */
export function findCounterpart(entries: readonly unknown[], n: number, others: unknown): unknown {
  if (!Array.isArray(others)) return undefined
  const entry = entries[n]
  if (!isObject(entry)) return others[n]
  const key = identifyingKeys.find((it) => typeof entry[it] === 'string')
  if (key === undefined) return others[n]
  const isAlike = (value: unknown): boolean =>
    isObject(value) && value[key] === entry[key] && (key !== 'type' || matches(value, entry, kindFields).isSame)
  const [own, alike] = [entries.filter(isAlike), others.filter(isAlike)]
  if (own.length <= 1 && alike.length <= 1) return alike[0]
  if (own.length === alike.length && own.every((it, at) => isSameExceptSecrets(it, alike[at])))
    return alike[entries.slice(0, n).filter(isAlike).length]
  const hasAddress = (value: unknown): boolean => {
    const { isSame, count } = matches(value as Fields, entry, addressFields)
    return isSame && count > 0
  }
  if (own.filter(hasAddress).length === 1 && alike.filter(hasAddress).length === 1) return alike.find(hasAddress)
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

/** The live value at the place of a sent one. */
interface LiveValue {
  /** With credentials, as far as the platform shows them. */
  readonly plain: unknown
  /** As the user has seen it. */
  readonly shown: unknown
}

/** A mask for which no credential is known. */
export interface LostMask {
  readonly path: string
  /** Such as `headers.0.value (X-Api-Key)`. */
  readonly label: string
  /** The platform shows a mask of its own there. */
  readonly isHidden: boolean
  /** The text may be the credential. */
  readonly canForce: boolean
}

/** How masks in a value are replaced by the live values, and what happens to one without a live value. */
export interface FillOptions {
  readonly place?: Place
  /** Returns whether a text is a mask of this program (default: `isMask`). */
  readonly isOwn?: (text: string) => boolean
  readonly onLost: (lost: LostMask) => void
}

/**
 * Replaces every mask in a value by the live value at the same path: masks of this program, and texts in the place of a
 * credential that look like a mask and that the platform shows there. `onLost` is called for each mask without one.
 */
export function fillMasks(sent: unknown, live: LiveValue, options: FillOptions): unknown {
  const { place = rootPlace } = options
  if (Array.isArray(sent))
    return sent.map((entry, n) =>
      fillMasks(
        entry,
        { plain: findCounterpart(sent, n, live.plain), shown: findCounterpart(sent, n, live.shown) },
        { ...options, place: placeWithin(sent, String(n), place) },
      ),
    )
  if (isObject(sent)) {
    const own = (of: unknown, name: string): unknown => (isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined)
    return Object.fromEntries(
      Object.entries(sent).map(([name, child]) => [
        name,
        fillMasks(
          child,
          { plain: own(live.plain, name), shown: own(live.shown, name) },
          { ...options, place: placeWithin(sent, name, place) },
        ),
      ]),
    )
  }
  return typeof sent === 'string' ? fillText(sent, live, place, options) : sent
}

/**
 * Rejects masks for which no credential is known. With --force, texts that only look like a mask are sent. @throws
 * ClientFailure `usage`; `conflict` where the platform hides the credential
 */
export function requireNoLostMasks(
  { writeSettings }: Pick<Context, 'writeSettings'>,
  all: readonly LostMask[],
  report: { readonly why?: string; readonly hint?: string } = {},
): void {
  const lost = all.filter((it) => !(writeSettings.sendsMasks && it.canForce))
  if (lost.length === 0) return
  const isHidden = lost.every((it) => it.isHidden)
  const canForce = lost.some((it) => it.canForce)
  const { why, hint } = isHidden ? { why: 'The platform does not show the credential.' } : canForce ? {} : report
  throw maskedValueFailure(
    lost.map((it) => it.label),
    { why, hint, canForce, exit: lost.every((it) => it.isHidden || it.canForce) ? 'conflict' : 'usage' },
  )
}

function fillText(text: string, live: LiveValue, place: Place, { isOwn = isMask, onLost }: FillOptions): unknown {
  const isWhole = isMaskOnly(text)
  const isMaskLike =
    !isWhole &&
    (isOnlyMaskLike({ text, ...place }) ||
      // A platform may hide every header.
      (place.name !== undefined && text === live.plain && looksMasked(text, 'doubtful')))
  if (!isMaskLike && !isWhole && !isOwn(text)) return text
  const { plain } = live
  const isShown = typeof plain !== 'string' || !(isAnyMask({ text: plain, ...place }) || (isMaskLike && plain === text))
  const isKnown = plain !== undefined && plain !== null && plain !== '' && isShown
  // A credential that is a number is masked as well.
  if (isKnown && (isWhole || (isMaskLike && text === live.shown))) return plain
  const filled = !isMaskLike && isKnown && typeof plain === 'string' ? fillParts(text, plain, live.shown) : undefined
  if (filled === undefined)
    onLost({
      path: place.path,
      label: labelOf(place),
      isHidden: typeof plain === 'string' && !isShown && !isOwn(plain),
      canForce: isMaskLike || isOnlyMaskLike({ text, ...place }),
    })
  return filled ?? text
}

/** Fills the masks within a text; undefined if that is not possible. */
function fillParts(sent: string, plain: string, shown: unknown): string | undefined {
  if (sent === plain || sent === redactText(plain) || maskedParts(sent, plain)) return plain
  // The text around the credential was changed, for example the path of a URL.
  const secrets = typeof shown === 'string' ? maskedParts(shown, plain) : undefined
  const parts = sent.split(maskToken)
  return secrets?.length === parts.length - 1 ? parts.map((it, n) => it + (secrets[n] ?? '')).join('') : undefined
}

/** Matches `maskText` and `redactedText` of contract/values. */
const maskToken = /••• hidden|\[hidden\]/

/** Returns the texts behind the masks, where `plain` is the same text without masks. */
function maskedParts(masked: string, plain: string): readonly string[] | undefined {
  const parts = masked.split(maskToken).map((it) => it.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]+?)')}$`).exec(plain)?.slice(1)
}

/** Returns whether a text only references a secret and contains none: `Bearer {{api_token}}`. */
const isExpression = (text: string): boolean =>
  text.includes('{{') && /^(?:Bearer|Basic|Token|Digest)?:?$/i.test(text.replaceAll(/\{\{[^{}]*\}\}/g, '').trim())

/** Returns a resource without its secrets, for saving or comparing. Masked values and expressions are unchanged. */
export function redactSecrets<T>(value: T): T {
  const walk = (one: unknown, redacted: unknown): unknown => {
    if (Array.isArray(one)) return one.map((value, n) => walk(value, (redacted as readonly unknown[])[n]))
    if (isObject(one))
      return Object.fromEntries(
        Object.entries(one).map(([name, value]) => [name, walk(value, (redacted as Fields)[name])]),
      )
    return typeof one === 'string' && isExpression(one) ? one : redacted
  }
  return walk(value, redactValue(value)) as T
}
