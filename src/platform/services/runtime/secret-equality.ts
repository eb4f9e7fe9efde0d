import { createHash, timingSafeEqual } from 'node:crypto'

/** Returns whether two secrets are equal, in time that reveals nothing about either. */
export function isEqualSecret(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return expected !== '' && timingSafeEqual(digest(actual), digest(expected))
}
