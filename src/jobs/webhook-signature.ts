import { createHmac } from 'node:crypto'

/** Prefix of a displayed secret; the rest is base64. */
const prefix = 'whsec_'

/** Returns the displayed form of a secret of 32 letters and digits. */
export const formatSecret = (letters: string): string => prefix + Buffer.from(letters).toString('base64')

/**
 * Returns the headers of Standard Webhooks. `seconds` is wall time, because receivers reject other times. Each secret
 * adds a signature.
 */
export function signHeaders(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map((it) => `v1,${computeSignature(it, id, seconds, body)}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

const computeSignature = (secret: string, id: string, seconds: number, body: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(prefix, ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')

/** Returns the signature header of a delivery status (facts 3.3), computed over the body with the sender's secret. */
export const senderSignature = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
