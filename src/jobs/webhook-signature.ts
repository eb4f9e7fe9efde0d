import { crypto } from '../node/crypto.ts'
import { secretPrefix } from '../node/webhook-signature.ts'

/** Returns the displayed form of a secret of 32 letters and digits. */
export const formatSecret = (letters: string): string => secretPrefix + Buffer.from(letters).toString('base64')

/** Returns the signature header of a delivery status (facts 3.3), computed over the body with the sender's secret. */
export const senderSignature = (secret: string, body: string): string =>
  `sha256=${crypto().createHmac('sha256', secret).update(body).digest('hex')}`
