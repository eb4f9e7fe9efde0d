import { crypto } from '../../../node/crypto.ts'

/** Returns whether two secrets are equal, in time that reveals nothing about either. */
export function isEqualSecret(actual: string, expected: string): boolean {
  const digest = (text: string) => crypto().createHash('sha256').update(text).digest()
  return expected !== '' && crypto().timingSafeEqual(digest(actual), digest(expected))
}
