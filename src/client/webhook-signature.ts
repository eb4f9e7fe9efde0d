import { crypto } from '../node/crypto.ts'

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
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  const own = crypto().createHmac('sha256', key).update(`${id}.${time}.${body}`).digest()
  return given.split(' ').some((it) => {
    const bytes = Buffer.from(it.startsWith('v1,') ? it.slice(3) : '', 'base64')
    return bytes.length === own.length && crypto().timingSafeEqual(bytes, own)
  })
}

/** Returns the headers of a Standard Webhooks message. `seconds` is the wall time in seconds since 1970. */
export function signHeaders(secret: string, id: string, seconds: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  const signature = crypto().createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` }
}
