import { findMasks, isMaskedSecret, type TextPlace } from '../../contract/values/mask.ts'
import { maskText } from '../../contract/values/mask-text.ts'
import { redactedText } from '../../contract/values/redact.ts'
import { ClientFailure } from '../failures/client-failure.ts'

/** Matches a text in which this program hid a credential: as a whole, after a scheme, or within a URL. */
const redactionPattern =
  /^(?:(?:Bearer|Basic|Token|Digest) )?\[hidden\]$|(?:^|[?&])[\w.[\]-]+=\[hidden\]|:\/\/\[hidden\]@/

/** Returns whether a text is a mask of this program or contains one. The text `[hidden]` within a sentence is none. */
export const isMask = (text: unknown): text is string =>
  typeof text === 'string' && (text.includes(maskText) || (text.includes(redactedText) && redactionPattern.test(text)))

type Place = Pick<TextPlace, 'text' | 'secrecy'>

/** Returns whether a text is a mask of this program, or has the form of one in the place of a credential. */
export const isAnyMask = (it: Place): boolean => isMask(it.text) || isMaskedSecret(it)

/** Returns whether a text may be the credential itself, so that --force sends it. */
export const isOnlyMaskLike = (it: Place): boolean => !it.text.includes(maskText) && isMaskedSecret(it)

/**
 * Refuses a body that contains a mask instead of a credential, because the platform would overwrite the credential with
 * it. This is the last check before a request is sent; `input` is the source of the body. `refused`: `own` for the masks
 * of this program only. @throws ClientFailure that names each path
 */
export function requireNoMasks(input: unknown, refused: 'own' | 'all'): void {
  const maskLike = refused === 'all' ? findMasks(input, isOnlyMaskLike) : []
  const own = findMasks(input, (it) => isMask(it.text) && !isOnlyMaskLike(it))
  if (own.length > 0) throw maskedValueFailure([...own, ...maskLike])
  if (maskLike.length > 0) throw maskedValueFailure(maskLike, { exit: 'conflict', canForce: true })
}

interface MaskReport {
  /** A sentence about why the credential is not known. */
  readonly why?: string | undefined
  readonly hint?: string | undefined
  /** `conflict` where the platform hides the credential, or the value may be the credential. */
  readonly exit?: 'usage' | 'conflict'
  /** The values may be credentials, so that --force sends them. */
  readonly canForce?: boolean
}

/** Returns the failure for values that are masks instead of credentials. Scripts read the code `masked_value` and the exit. */
export function maskedValueFailure(
  paths: readonly string[],
  { why, hint, exit = 'usage', canForce = false }: MaskReport = {},
): ClientFailure {
  const [holds, mask] = paths.length === 1 ? ['holds', 'the mask'] : ['hold', 'each mask']
  return new ClientFailure({
    exit,
    code: 'masked_value',
    message: `${paths.join(', ')} ${holds} a mask instead of a credential.${why ? ` ${why}` : ''} Nothing was sent.`,
    hint: `${hint ?? `Replace ${mask} with the credential or an environment variable.`}${canForce ? ' If the value is not a mask, add --force.' : ''}`,
  })
}
