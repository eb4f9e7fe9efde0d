import { findMasks, maskText } from '../../contract/values/mask.ts'
import { usageFailure } from '../failures/client-failure.ts'
import { redactedText } from './redact.ts'

/** A text in which this program itself hid a credential: whole, after its scheme, or within an address. */
const redactionPattern = /^(?:(?:Bearer|Basic|Token|Digest) )?\[hidden\]$|[?&][\w.[\]-]+=\[hidden\]|:\/\/\[hidden\]@/

const isMask = (text: string): boolean =>
  text.includes(maskText) || (text.includes(redactedText) && redactionPattern.test(text))

/**
 * Refuses a body in which a mask stands in place of a credential: a platform that stores what it is sent would lose the credential. The last check
 * before a request leaves; `input` is what the body was made of. @throws ClientFailure `usage` naming each path
 */
export function refuseMasks(body: string, input: unknown): void {
  if (!body.includes(maskText) && !body.includes(redactedText)) return
  const paths = findMasks(input, isMask)
  if (paths.length > 0) throw maskedValueFailure(paths)
}

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
