import { createHmac, timingSafeEqual } from 'node:crypto'

/** How a secret is written for people; what follows is base64. */
const prefix = 'whsec_'

/** The secret people see, of 32 letters and digits. */
export const formatSecret = (letters: string): string => prefix + Buffer.from(letters).toString('base64')

/** Headers of Standard Webhooks. `seconds` is wall time, or receivers would refuse what comes; several secrets give several signatures. */
export function signHeaders(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map((it) => `v1,${computeSignature(it, id, seconds, body)}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

/** Whether any signature among the headers was made with the secret. Says nothing about the time. */
export function hasValidSignature(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatureHeader = '' } = headers
  const expected = Buffer.from(computeSignature(secret, id, Number(time), body))
  return signatureHeader.split(' ').some((it) => {
    const [version, signature = ''] = it.split(',')
    const bytes = Buffer.from(signature)
    return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}

const computeSignature = (secret: string, id: string, seconds: number, body: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(prefix, ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')

/** The header that tells the delivery status of messages (facts 3.3): over the body alone, with the sender's own secret. */
export const senderSignature = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
