/** Strings and numbers of a JSON text, in order. Strings are matched too, so that digits inside them are skipped. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs

/**
 * Returns the first integer in a JSON text that a JavaScript number cannot represent (beyond 2^53): parsing would
 * change its last digits.
 * Returns undefined if there is none. Fractions are skipped, because they are never ids.
 */
export function findInexactInteger(text: string): string | undefined {
  // Fast path: few texts have this many consecutive digits.
  if (!/\d{16}/.test(text)) return undefined
  for (const [token] of text.matchAll(tokens))
    if (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))) return token
  return undefined
}
