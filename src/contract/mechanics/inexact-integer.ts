/** Strings and numbers of a JSON text, in order: what is inside a string is no number. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs

/**
 * The first whole number in a JSON text that a JavaScript number cannot hold (beyond 2^53): reading it would change its last digits.
 * Undefined where there is none. Fractions are left alone: they are never ids.
 */
export function findInexactInteger(text: string): string | undefined {
  // Few texts have a run of digits this long anywhere.
  if (!/\d{16}/.test(text)) return undefined
  for (const [token] of text.matchAll(tokens))
    if (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))) return token
  return undefined
}
