// UUIDs and message ids of stored rows come from this function. The result for a text never changes: clients have the UUIDs,
// and a delivery that is repeated after a crash needs the same id.

import { createHash } from 'node:crypto'

/** Returns a version 4 UUID derived from a text. The text must be secret, or the UUID can be guessed. */
export function deterministicUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
