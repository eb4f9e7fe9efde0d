import { isObject } from '../../contract/values/json-object.ts'
import { maskText } from '../../contract/values/mask.ts'
import { findCounterpart } from './masked-values.ts'

/**
 * Replaces every mask in a value by the value at the same path in `plain`, the same resource with its credentials.
 * `masked` is the resource with masks. Paths without a credential are added to `missing`.
 */
export function fillMasks(sent: unknown, plain: unknown, masked: unknown, path: string, missing: string[]): unknown {
  if (Array.isArray(sent))
    return sent.map((it, n) =>
      fillMasks(it, findCounterpart(sent, n, plain), findCounterpart(sent, n, masked), `${path}.${n}`, missing),
    )
  if (isObject(sent)) {
    const own = (of: unknown, name: string): unknown => (isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined)
    return Object.fromEntries(
      Object.entries(sent).map(([name, it]) => [
        name,
        fillMasks(it, own(plain, name), own(masked, name), path === '' ? name : `${path}.${name}`, missing),
      ]),
    )
  }
  if (typeof sent !== 'string' || !sent.includes(maskText)) return sent
  const filled = fillTextMasks(sent, plain, masked)
  if (filled !== undefined) return filled
  missing.push(path)
  return sent
}

/** Fills the masks in a text; undefined if that is not possible. */
function fillTextMasks(sent: string, plain: unknown, masked: unknown): unknown {
  // A credential that is a number is masked as well.
  if (sent === maskText)
    return plain === undefined || plain === '' || (typeof plain === 'string' && plain.includes(maskText))
      ? undefined
      : plain
  if (typeof plain !== 'string' || plain === '' || plain.includes(maskText)) return undefined
  if (maskedParts(sent, plain)) return plain
  // The text around the credential was changed, for example the path of a URL.
  const secrets = typeof masked === 'string' ? maskedParts(masked, plain) : undefined
  const parts = sent.split(maskText)
  return secrets?.length === parts.length - 1 ? parts.map((it, n) => it + (secrets[n] ?? '')).join('') : undefined
}

/** Returns the texts behind the masks, where `plain` is the same text without masks. */
function maskedParts(masked: string, plain: string): readonly string[] | undefined {
  const parts = masked.split(maskText).map((it) => it.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]+?)')}$`).exec(plain)?.slice(1)
}
