import { findMasks, maskText } from '../../contract/values/mask.ts'
import { usageFailure } from '../failures/client-failure.ts'
import { redactedText } from './redact.ts'

/** Matches a text in which this program hid a credential: as a whole, after a scheme, or within a URL. */
const redactionPattern = /^(?:(?:Bearer|Basic|Token|Digest) )?\[hidden\]$|[?&][\w.[\]-]+=\[hidden\]|:\/\/\[hidden\]@/

/** Returns whether a text is a mask or contains one. The text `[hidden]` within a sentence is none. */
export const isMask = (text: unknown): text is string =>
  typeof text === 'string' && (text.includes(maskText) || (text.includes(redactedText) && redactionPattern.test(text)))

/**
 * Refuses a body that contains a mask instead of a credential, because the platform would overwrite the credential with
 * it. This is the last check before a request is sent; `input` is the source of the body. @throws ClientFailure `usage`
 * that names each path
 */
export function refuseMasks(body: string, input: unknown): void {
  if (!body.includes(maskText) && !body.includes(redactedText)) return
  const paths = findMasks(input, isMask)
  if (paths.length > 0) throw maskedValueFailure(paths)
}

/** Returns the failure for values that are masks instead of credentials. */
export const maskedValueFailure = (
  paths: readonly string[],
  why = '',
  hint = paths.length === 1 ? 'Replace the mask with the credential.' : 'Replace each mask with the credential.',
): Error =>
  usageFailure(
    'masked_value',
    `${paths.join(', ')} ${paths.length === 1 ? 'holds' : 'hold'} a mask (${maskText}) instead of a credential.${why} Nothing was sent.`,
    hint,
  )
