import { maskText } from '../../contract/values/mask.ts'
import { findCounterpart, isObject } from './masked-values.ts'

/**
 * A value in which every mask is replaced by what stands at the same place in `plain`, the same thing with its credentials; `shown` is it as it was read, masked.
 * `lost` is told each place for which there is none.
 */
export function fillMasks(sent: unknown, plain: unknown, masked: unknown, path: string, missing: string[]): unknown {
  if (Array.isArray(sent))
    return sent.map((it, n) =>
      fillMasks(it, findCounterpart(it, n, plain), findCounterpart(it, n, masked), `${path}.${n}`, missing),
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

/** A text with its masks filled in, or undefined where that cannot be done. */
function fillTextMasks(sent: string, plain: unknown, masked: unknown): unknown {
  // A number that is a credential is masked as well.
  if (sent === maskText)
    return plain === undefined || plain === '' || (typeof plain === 'string' && plain.includes(maskText))
      ? undefined
      : plain
  if (typeof plain !== 'string' || plain === '' || plain.includes(maskText)) return undefined
  if (maskedParts(sent, plain)) return plain
  // The text around the credential was changed, such as the path of an address.
  const secrets = typeof masked === 'string' ? maskedParts(masked, plain) : undefined
  const parts = sent.split(maskText)
  return secrets?.length === parts.length - 1 ? parts.map((it, n) => it + (secrets[n] ?? '')).join('') : undefined
}

/** What stands behind the masks of a text, where `plain` is that text without them. */
function maskedParts(masked: string, plain: string): readonly string[] | undefined {
  const parts = masked.split(maskText).map((it) => it.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]+?)')}$`).exec(plain)?.slice(1)
}
