import { crypto } from '../../node/crypto.ts'

/** The first `digits` hexadecimal digits of a text's SHA-256: what a local provider makes its identifiers of, so that the same key always gives the same one. */
export const digest = (text: string, digits: number): string =>
  crypto().createHash('sha256').update(text).digest('hex').slice(0, digits)
