import { crypto } from './crypto.ts'

/** Prefix of a displayed secret; the rest is the key in base64. Receivers have stored such secrets: it never changes. */
const secretPrefix = 'whsec_'

/** Returns the displayed form of a secret of 32 letters and digits. */
export const formatSecret = (letters: string): string => secretPrefix + Buffer.from(letters).toString('base64')

/**
 * Returns the signature header of a delivery status (facts 3.3), computed over the body with the sender's secret.
 * Receivers compare it: the form never changes.
 */
export const senderSignature = (secret: string, body: string): string =>
  `sha256=${crypto().createHmac('sha256', secret).update(body).digest('hex')}`

/** Returns the Standard Webhooks signature of a message as bytes. `seconds` is its timestamp as it was sent. */
const sign = (secret: string, id: string, seconds: number | string, body: string): Buffer =>
  crypto()
    .createHmac('sha256', Buffer.from(secret.replace(secretPrefix, ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest()

/**
 * Returns the headers of a Standard Webhooks message. `seconds` is wall time since 1970, because receivers reject other
 * times. Each secret adds a signature. Receivers verify them with other programs: names and form are those of the standard.
 */
export function signHeaders(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map((it) => `v1,${sign(it, id, seconds, body).toString('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

/**
 * Returns whether a message has a Standard Webhooks signature of the secret (`whsec_...`) and a timestamp within five
 * minutes of the wall time in milliseconds.
 */
export function isValidSignature(
  secret: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  now: number,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given } = headers
  if (!id || !time || !given || !(Math.abs(now / 1000 - Number(time)) <= 300)) return false
  const own = sign(secret, id, time, body)
  return given.split(' ').some((signature) => {
    const bytes = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64')
    return bytes.length === own.length && crypto().timingSafeEqual(bytes, own)
  })
}
