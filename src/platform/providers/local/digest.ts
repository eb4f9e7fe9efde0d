import { crypto } from '../../../node/crypto.ts'

/**
 * Returns the first `digits` hexadecimal digits of a text's SHA-256. Local providers derive their ids from keys with
 * it, so that the same key always gives the same id. Stored rows have these ids: it never changes.
 */
export const digest = (text: string, digits: number): string =>
  crypto().createHash('sha256').update(text).digest('hex').slice(0, digits)
